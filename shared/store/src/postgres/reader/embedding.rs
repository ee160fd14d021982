//! What the vault remembers about its vectors, and what should have some.

use kimberly_core::embedding::{
    EligibleSubject, EmbeddingLedger, EmbeddingReport, VectorSubject, Worth, start_of_week,
};
use kimberly_core::error::Result;
use kimberly_core::ids::{GoalId, Seq};

use crate::postgres::conn::Conn;
use crate::postgres::rows::Cells;
use crate::slots;

const LEDGER: &str = "SELECT embedding_waiting, embedding_anew, embedding_asked_at, embedding_synced_at, \
     embedding_needed, embedding_missing, embedding_failed, embedding_version, \
     (SELECT coalesce(sum(vectors), 0)::bigint FROM embedded WHERE user_id = $1 AND day = $2), \
     (SELECT coalesce(sum(vectors), 0)::bigint FROM embedded WHERE user_id = $1 AND day BETWEEN $3 AND $2), \
     settings_revision FROM vaults WHERE user_id = $1";
/// `state`: 1 is archived, 2 deleted.
const MEMORIES: &str = "SELECT seq, revision, state = 1, session IS NOT NULL AND speaker IS NOT NULL, score FROM memories \
     WHERE user_id = $1 AND state <> 2 AND NOT sensitive AND withheld = 0 ORDER BY seq";
const GOALS: &str = "SELECT id, (body::jsonb ->> 'revision')::bigint FROM goals \
     WHERE user_id = $1 AND status = 'active' ORDER BY id";

pub(super) async fn ledger(conn: &mut Conn, day: i64) -> Result<EmbeddingLedger> {
    // Vectors hang on what was created, on changes that recall sees, on goals, and on settings.
    let counted = [slots::CREATED, slots::RECALL, slots::GOALS].map(|slot| conn.head.both(slot).0);
    let changes: u64 = counted.iter().sum();
    let args = conn.args().with(day).with(start_of_week(day));
    let found = conn
        .row("reading the ledger of vectors", LEDGER, args, |row| {
            let c = &mut Cells::new(row);
            let (waiting, anew, asked_at, synced_at) = (c.flag()?, c.flag()?, c.opt_time()?, c.opt_time()?);
            let (needed, missing, failed) = (c.count()?, c.count()?, c.count()?);
            let version = c.count()?;
            let report = synced_at.map(|at| EmbeddingReport { at, needed, missing, failed, version });
            let (today, this_week, version) = (c.count()?, c.count()?, changes + c.count()?);
            Ok(EmbeddingLedger { waiting, anew, asked_at, report, today, this_week, version })
        })
        .await?;
    Ok(found.unwrap_or_default())
}

pub(super) async fn subjects(conn: &mut Conn) -> Result<Vec<EligibleSubject>> {
    let args = conn.args();
    let mut all = conn
        .rows("listing what has vectors", MEMORIES, args, |row| {
            let c = &mut Cells::new(row);
            let (subject, revision) = (VectorSubject::Memory(Seq(c.int()?)), c.count()?);
            let worth = Worth { archived: c.flag()?, turn: c.flag()?, score: c.real()? };
            Ok(EligibleSubject { subject, revision, worth })
        })
        .await?;
    let args = conn.args();
    let goals = conn
        .rows("listing goals that have vectors", GOALS, args, |row| {
            let c = &mut Cells::new(row);
            let (subject, revision) = (VectorSubject::Goal(GoalId(c.uuid()?)), c.count()?);
            Ok(EligibleSubject { subject, revision, worth: Worth::default() })
        })
        .await?;
    all.extend(goals);
    Ok(all)
}
