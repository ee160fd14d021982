//! Reads the ledger of a vault's vectors, and what should have vectors.

use kimberly_core::embedding::{EligibleSubject, EmbeddingLedger, EmbeddingReport, start_of_week};
use kimberly_core::error::Result;

use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::{MEMORY_SUBJECTS, goal_subject, memory_subject};
use crate::slots;

const LEDGER: &str = "SELECT embedding_waiting, embedding_rebuild, embedding_asked_at, embedding_synced_at, \
     embedding_needed, embedding_missing, embedding_failed, embedding_version, \
     (SELECT coalesce(sum(vectors), 0)::bigint FROM embedded WHERE user_id = $1 AND day = $2), \
     (SELECT coalesce(sum(vectors), 0)::bigint FROM embedded WHERE user_id = $1 AND day BETWEEN $3 AND $2), \
     settings_revision FROM vaults WHERE user_id = $1";
const GOALS: &str = "SELECT id, (body::jsonb ->> 'revision')::bigint FROM goals \
     WHERE user_id = $1 AND status = 'active' ORDER BY id";

pub(super) async fn ledger(conn: &mut Conn, day: i64) -> Result<EmbeddingLedger> {
    // Vectors depend on created memories, on changes that recall sees, on goals and on settings.
    let counted = [slots::CREATED, slots::RECALL, slots::GOALS].map(|slot| conn.head.both(slot).0);
    let changes: u64 = counted.iter().sum();
    let args = conn.args().with(day).with(start_of_week(day));
    let found = conn
        .row("reading the ledger of vectors", LEDGER, args, |row| {
            let c = &mut Cells::new(row);
            let (waiting, rebuild, asked_at, synced_at) = (c.flag()?, c.flag()?, c.opt_time()?, c.opt_time()?);
            let (needed, missing, failed) = (c.count()?, c.count()?, c.count()?);
            let version = c.count()?;
            let report = synced_at.map(|at| EmbeddingReport { at, needed, missing, failed, version });
            let (today, this_week, version) = (c.count()?, c.count()?, changes + c.count()?);
            Ok(EmbeddingLedger { waiting, rebuild, asked_at, report, today, this_week, version })
        })
        .await?;
    Ok(found.unwrap_or_default())
}

pub(super) async fn subjects(conn: &mut Conn) -> Result<Vec<EligibleSubject>> {
    let (sql, args) = (format!("{MEMORY_SUBJECTS} AND user_id = $1 ORDER BY seq"), conn.args());
    let read = conn.rows("listing items with vectors", sql, args, |row| memory_subject(&mut Cells::new(row)));
    let mut all = read.await?;
    let args = conn.args();
    let read = conn.rows("listing goals that have vectors", GOALS, args, |row| goal_subject(&mut Cells::new(row)));
    all.extend(read.await?);
    Ok(all)
}
