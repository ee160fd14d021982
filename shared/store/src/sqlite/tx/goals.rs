//! Writes goals. A change marks every memory for scoring, by advancing the epoch that scores are compared with.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::goals::Goal;
use kimberly_core::ids::GoalId;

use crate::sqlite::conn::{Args, Conn};

const PUT: &str = "INSERT OR REPLACE INTO goals (id, status, created_at, body) VALUES (?, ?, ?, ?);\
     UPDATE counters SET items = items + 1 WHERE slot = 14";
const DELETE: &str = "DELETE FROM goals WHERE id = ?";
const NEW_EPOCH: &str = "UPDATE counters SET items = items + 1 WHERE slot = 14";

pub(super) async fn put(conn: &mut Conn, goal: &Goal) -> Result<()> {
    let body = serde_json::to_string(goal)
        .map_err(|e| Error::storage(StorageFailure::Defect, format!("a goal cannot be written as JSON: {e}")))?;
    let args = Args::new()
        .with(goal.id.0.as_bytes().to_vec())
        .with(goal.draft.status.name())
        .with(goal.created_at.0)
        .with(body);
    conn.run("storing a goal", PUT, args).await?;
    Ok(())
}

pub(super) async fn delete(conn: &mut Conn, id: GoalId) -> Result<bool> {
    if conn.run("removing a goal", DELETE, Args::new().with(id.0.as_bytes().to_vec())).await? == 0 {
        return Ok(false);
    }
    conn.notes.erased = true;
    conn.run("marking memories to score", NEW_EPOCH, Args::new()).await?;
    Ok(true)
}
