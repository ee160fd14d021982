//! Reads the ledger of a vault's vectors, and what should have vectors.

use kimberly_core::embedding::{EligibleSubject, EmbeddingLedger, EmbeddingReport, start_of_week};
use kimberly_core::error::Result;

use crate::rows::{MEMORY_SUBJECTS, goal_subject, memory_subject};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

/// Vectors depend on created memories, on changes that recall sees, on goals and on settings.
const LEDGER: &str = "SELECT e.waiting, e.rebuild, e.asked_at, e.synced_at, e.needed, e.missing, e.failed, e.version, \
     (SELECT coalesce(sum(vectors), 0) FROM embedded WHERE day = ?1), \
     (SELECT coalesce(sum(vectors), 0) FROM embedded WHERE day BETWEEN ?2 AND ?1), \
     (SELECT sum(items) FROM counters WHERE slot IN (9, 12, 14)) + (SELECT settings_revision FROM vault) \
     FROM embedding e";
const GOALS: &str = "SELECT id, body ->> 'revision' FROM goals WHERE status = 'active' ORDER BY id";

pub(super) async fn ledger(conn: &mut Conn, day: i64) -> Result<EmbeddingLedger> {
    conn.row("reading the ledger of vectors", LEDGER, Args::new().with(day).with(start_of_week(day)), |row| {
        let c = &mut Cells::new(row);
        let (waiting, rebuild, asked_at, synced_at) = (c.flag()?, c.flag()?, c.opt_time()?, c.opt_time()?);
        let (needed, missing, failed) = (c.count()?, c.count()?, c.count()?);
        let version = c.count()?;
        let report = synced_at.map(|at| EmbeddingReport { at, needed, missing, failed, version });
        let (today, this_week, version) = (c.count()?, c.count()?, c.count()?);
        Ok(EmbeddingLedger { waiting, rebuild, asked_at, report, today, this_week, version })
    })
    .await?
    .ok_or_else(|| errors::corrupt("the ledger of vectors is missing"))
}

pub(super) async fn subjects(conn: &mut Conn) -> Result<Vec<EligibleSubject>> {
    let sql = format!("{MEMORY_SUBJECTS} ORDER BY seq");
    let read = conn.rows("listing items with vectors", sql, Args::new(), |row| memory_subject(&mut Cells::new(row)));
    let mut all = read.await?;
    let (doing, args) = ("listing goals that have vectors", Args::new());
    let read = conn.rows(doing, GOALS, args, |row| goal_subject(&mut Cells::new(row)));
    all.extend(read.await?);
    Ok(all)
}
