//! Writes the outbox.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ports::Job;
use uuid::Uuid;

use crate::rows::job_json;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::json_numbers;

const ENQUEUE: &str = "INSERT INTO outbox (job_id, job, created_at, traceparent) VALUES (?, ?, ?, ?)";
const REMOVE: &str = "DELETE FROM outbox WHERE position IN (SELECT value FROM json_each(?))";

pub(super) async fn enqueue(
    conn: &mut Conn,
    job_id: Uuid,
    job: &Job,
    at: Timestamp,
    traceparent: Option<&str>,
) -> Result<()> {
    let args = Args::new()
        .with(job_id.as_bytes().to_vec())
        .with(job_json(job)?)
        .with(at.0)
        .with(traceparent.map(str::to_owned));
    conn.run("writing a job to the outbox", ENQUEUE, args).await?;
    conn.notes.enqueued = Some(at);
    Ok(())
}

pub(super) async fn remove(conn: &mut Conn, positions: &[i64]) -> Result<()> {
    if positions.is_empty() {
        return Ok(());
    }
    let args = Args::new().with(json_numbers(positions.iter().copied()));
    conn.run("removing relayed jobs", REMOVE, args).await?;
    Ok(())
}
