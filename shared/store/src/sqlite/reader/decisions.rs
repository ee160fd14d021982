//! Reads decisions by run and by memory.

use kimberly_core::error::Result;
use kimberly_core::ids::{MeditationId, MemoryId};
use kimberly_core::meditation::RecordedDecision;

use super::limit as sql_limit;
use crate::rows::joined;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{DECISION_COLUMNS, decision, unsigned};

/// Selects the latest decisions with a subject, then all rows of each.
const ABOUT: &str = "(SELECT d.meditation, d.position FROM decisions d JOIN meditations r ON r.no = d.meditation \
     WHERE d.subject = ? ORDER BY d.decided_at DESC, r.id DESC, d.position DESC LIMIT +?) a \
     JOIN decisions d ON d.meditation = a.meditation AND d.position = a.position \
     JOIN meditations r ON r.no = d.meditation";

pub(super) async fn about(conn: &mut Conn, id: MemoryId, limit: usize) -> Result<Vec<RecordedDecision>> {
    let sql = format!(
        "SELECT {DECISION_COLUMNS} FROM {ABOUT} ORDER BY d.decided_at DESC, r.id DESC, d.position DESC, d.part"
    );
    let args = Args::new().with(id.0.as_bytes().to_vec()).with(sql_limit(limit));
    conn.rows("reading decisions about a memory", sql, args, decision).await.map(joined)
}

/// Positions are consecutive, so a range of positions is that many decisions, whatever the number of their subjects.
pub(super) async fn of_run(
    conn: &mut Conn,
    id: MeditationId,
    after: u64,
    limit: usize,
) -> Result<Vec<RecordedDecision>> {
    let sql = format!(
        "SELECT {DECISION_COLUMNS} FROM meditations r JOIN decisions d ON d.meditation = r.no \
         WHERE r.id = ? AND d.position > ? AND d.position <= ? ORDER BY d.position, d.part"
    );
    let last = after.saturating_add(limit as u64);
    let args = Args::new().with(id.0.as_bytes().to_vec()).with(unsigned(after)).with(unsigned(last));
    conn.rows("reading decisions of a run", sql, args, decision).await.map(joined)
}
