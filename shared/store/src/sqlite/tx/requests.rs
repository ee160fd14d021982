//! Prunes answers stored for replays.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::reader::limit as sql_limit;

const PRUNE: &str = "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE at < ? ORDER BY at LIMIT +?)";

pub(super) async fn prune(conn: &mut Conn, before: Timestamp, limit: usize) -> Result<u64> {
    conn.run("deleting old answers", PRUNE, Args::new().with(before.0).with(sql_limit(limit))).await
}
