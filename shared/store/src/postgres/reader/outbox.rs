//! Reads the outbox.

use kimberly_core::error::Result;
use kimberly_core::ports::OutboxRow;

use super::limit as sql_limit;
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::rows::Cells;

const OUTBOX: &str = "SELECT position, job_id, job, created_at, traceparent FROM outbox WHERE user_id = $1 \
     ORDER BY position LIMIT $2";

pub(super) async fn outbox(conn: &mut Conn, limit: usize) -> Result<Vec<OutboxRow>> {
    let args = conn.args().with(sql_limit(limit));
    conn.rows("reading the outbox", OUTBOX, args, |row| {
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
