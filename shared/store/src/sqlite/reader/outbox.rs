//! Reads the outbox.

use kimberly_core::error::Result;
use kimberly_core::ports::OutboxRow;

use super::limit as sql_limit;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::Cells;

pub(super) async fn outbox(conn: &mut Conn, limit: usize) -> Result<Vec<OutboxRow>> {
    let sql = "SELECT position, job_id, job, created_at, traceparent FROM outbox ORDER BY position LIMIT +?";
    conn.rows("reading the outbox", sql, Args::new().with(sql_limit(limit)), |row| {
        let c = &mut Cells::new(row);
        Ok(OutboxRow {
            position: c.int()?,
            job_id: c.uuid()?,
            job: serde_json::from_str(c.str()?).map_err(|_| errors::corrupt("a job in the outbox is unknown"))?,
            created_at: c.time()?,
            traceparent: c.opt_text()?,
        })
    })
    .await
}
