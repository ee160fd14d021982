//! Writes goals. A change marks every memory for scoring, by advancing the epoch that scores are compared with.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::goals::Goal;
use kimberly_core::ids::GoalId;

use crate::postgres::conn::Conn;
use crate::slots;

const PUT: &str = "INSERT INTO goals (user_id, id, status, created_at, body) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (user_id, id) DO UPDATE SET status = excluded.status, created_at = excluded.created_at, \
     body = excluded.body";
const DELETE: &str = "DELETE FROM goals WHERE user_id = $1 AND id = $2";

pub(super) async fn put(conn: &mut Conn, goal: &Goal) -> Result<()> {
    let body = serde_json::to_string(goal)
        .map_err(|e| Error::storage(StorageFailure::Defect, format!("a goal cannot be written as JSON: {e}")))?;
    let args = conn.args().with(goal.id.0).with(goal.draft.status.name()).with(goal.created_at.0).with(body);
    conn.run("storing a goal", PUT, args).await?;
    conn.head.add(slots::GOALS, 1, 0);
    Ok(())
}

pub(super) async fn delete(conn: &mut Conn, id: GoalId) -> Result<bool> {
    let args = conn.args().with(id.0);
    if conn.run("removing a goal", DELETE, args).await? == 0 {
        return Ok(false);
    }
    conn.head.add(slots::GOALS, 1, 0);
    Ok(true)
}
