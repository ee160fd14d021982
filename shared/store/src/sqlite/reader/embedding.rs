//! What the vault remembers about its vectors, and what should have some.

use kimberly_core::embedding::{
    EligibleSubject, EmbeddingLedger, EmbeddingReport, VectorSubject, Worth, start_of_week,
};
use kimberly_core::error::Result;
use kimberly_core::ids::{GoalId, Seq};

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::Cells;

/// Vectors hang on what was created, on changes that recall sees, on goals, and on settings.
const LEDGER: &str = "SELECT e.waiting, e.anew, e.asked_at, e.synced_at, e.needed, e.missing, e.failed, e.version, \
     (SELECT coalesce(sum(vectors), 0) FROM embedded WHERE day = ?1), \
     (SELECT coalesce(sum(vectors), 0) FROM embedded WHERE day BETWEEN ?2 AND ?1), \
     (SELECT sum(items) FROM counters WHERE slot IN (9, 12, 14)) + (SELECT settings_revision FROM vault) \
     FROM embedding e";
/// `state`: 1 is archived, 2 deleted.
const MEMORIES: &str = "SELECT seq, revision, state = 1, session IS NOT NULL AND speaker IS NOT NULL, score FROM memories \
     WHERE state <> 2 AND NOT sensitive AND withheld = 0 ORDER BY seq";
const GOALS: &str = "SELECT id, body ->> 'revision' FROM goals WHERE status = 'active' ORDER BY id";

pub(super) async fn ledger(conn: &mut Conn, day: i64) -> Result<EmbeddingLedger> {
    conn.row("reading the ledger of vectors", LEDGER, Args::new().with(day).with(start_of_week(day)), |row| {
        let c = &mut Cells::new(row);
        let (waiting, anew, asked_at, synced_at) = (c.flag()?, c.flag()?, c.opt_time()?, c.opt_time()?);
        let (needed, missing, failed) = (c.count()?, c.count()?, c.count()?);
        let version = c.count()?;
        let report = synced_at.map(|at| EmbeddingReport { at, needed, missing, failed, version });
        let (today, this_week, version) = (c.count()?, c.count()?, c.count()?);
        Ok(EmbeddingLedger { waiting, anew, asked_at, report, today, this_week, version })
    })
    .await?
    .ok_or_else(|| errors::corrupt("the ledger of vectors is gone"))
}

pub(super) async fn subjects(conn: &mut Conn) -> Result<Vec<EligibleSubject>> {
    let mut all = conn
        .rows("listing what has vectors", MEMORIES, Args::new(), |row| {
            let c = &mut Cells::new(row);
            let (subject, revision) = (VectorSubject::Memory(Seq(c.int()?)), c.count()?);
            let worth = Worth { archived: c.flag()?, turn: c.flag()?, score: c.real()? };
            Ok(EligibleSubject { subject, revision, worth })
        })
        .await?;
    let goals = conn
        .rows("listing goals that have vectors", GOALS, Args::new(), |row| {
            let c = &mut Cells::new(row);
            let (subject, revision) = (VectorSubject::Goal(GoalId(c.uuid()?)), c.count()?);
            Ok(EligibleSubject { subject, revision, worth: Worth::default() })
        })
        .await?;
    all.extend(goals);
    Ok(all)
}
