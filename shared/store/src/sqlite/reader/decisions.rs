//! Decisions of runs, by run and by memory.

use kimberly_core::error::Result;
use kimberly_core::ids::{MeditationId, MemoryId};
use kimberly_core::meditation::RecordedDecision;

use super::limit as sql_limit;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{DECISION_COLUMNS, decision, unsigned};

pub(super) async fn about(conn: &mut Conn, id: MemoryId, limit: usize) -> Result<Vec<RecordedDecision>> {
    let sql = format!(
        "SELECT {DECISION_COLUMNS} FROM decisions d JOIN meditations r ON r.no = d.meditation \
         WHERE d.memory_id = ? ORDER BY d.decided_at DESC, r.id DESC, d.position DESC LIMIT ?"
    );
    let args = Args::new().with(id.0.as_bytes().to_vec()).with(sql_limit(limit));
    conn.rows("reading decisions about a memory", sql, args, decision).await
}

pub(super) async fn of_run(
    conn: &mut Conn,
    id: MeditationId,
    after: u64,
    limit: usize,
) -> Result<Vec<RecordedDecision>> {
    let sql = format!(
        "SELECT {DECISION_COLUMNS} FROM meditations r JOIN decisions d ON d.meditation = r.no \
         WHERE r.id = ? AND d.position > ? ORDER BY d.position LIMIT ?"
    );
    let args = Args::new().with(id.0.as_bytes().to_vec()).with(unsigned(after)).with(sql_limit(limit));
    conn.rows("reading decisions of a run", sql, args, decision).await
}
