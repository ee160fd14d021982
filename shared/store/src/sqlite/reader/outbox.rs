//! Reads the outbox.

use kimberly_core::error::Result;
use kimberly_core::ports::OutboxRow;

use super::limit as sql_limit;
use crate::rows::outbox_row;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;

pub(super) async fn outbox(conn: &mut Conn, limit: usize) -> Result<Vec<OutboxRow>> {
    let sql = "SELECT position, job_id, job, created_at, traceparent FROM outbox ORDER BY position LIMIT +?";
    conn.rows("reading the outbox", sql, Args::new().with(sql_limit(limit)), |row| outbox_row(&mut Cells::new(row)))
        .await
}
