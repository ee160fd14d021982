//! Reads the outbox.

use kimberly_core::error::Result;
use kimberly_core::ports::OutboxRow;

use super::limit as sql_limit;
use crate::postgres::conn::Conn;
use crate::postgres::rows::Cells;
use crate::rows::outbox_row;

const OUTBOX: &str = "SELECT position, job_id, job, created_at, traceparent FROM outbox WHERE user_id = $1 \
     ORDER BY position LIMIT $2";

pub(super) async fn outbox(conn: &mut Conn, limit: usize) -> Result<Vec<OutboxRow>> {
    let args = conn.args().with(sql_limit(limit));
    conn.rows("reading the outbox", OUTBOX, args, |row| outbox_row(&mut Cells::new(row))).await
}
