//! Writes the outbox. Positions are never reused: a late relay must not remove another row.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ports::Job;
use uuid::Uuid;

use crate::postgres::conn::Conn;
use crate::rows::job_json;

const ENQUEUE: &str = "INSERT INTO outbox (user_id, position, job_id, job, created_at, traceparent) \
     VALUES ($1, $2, $3, $4, $5, $6)";
const REMOVE: &str = "DELETE FROM outbox WHERE user_id = $1 AND position = ANY($2)";

pub(super) async fn enqueue(
    conn: &mut Conn,
    job_id: Uuid,
    job: &Job,
    at: Timestamp,
    traceparent: Option<&str>,
) -> Result<()> {
    let position = conn.head.outbox_last + 1;
    let args =
        conn.args().with(position).with(job_id).with(job_json(job)?).with(at.0).with(traceparent.map(str::to_owned));
    conn.run("writing a job to the outbox", ENQUEUE, args).await?;
    conn.head.outbox_last = position;
    conn.notes.enqueued = Some(at);
    Ok(())
}

pub(super) async fn remove(conn: &mut Conn, positions: &[i64]) -> Result<()> {
    if positions.is_empty() {
        return Ok(());
    }
    let args = conn.args().with(positions.to_vec());
    conn.run("removing relayed jobs", REMOVE, args).await?;
    Ok(())
}
