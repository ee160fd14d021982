//! How far imports came.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::unsigned;

const PUT: &str = "INSERT OR REPLACE INTO imports (id, done, at) VALUES (?, ?, ?)";
const PRUNE: &str = "DELETE FROM imports WHERE at < ?";

pub(super) async fn put(conn: &mut Conn, id: &str, done: u64, at: Timestamp) -> Result<()> {
    let args = Args::new().with(id.to_owned()).with(unsigned(done)).with(at.0);
    conn.run("remembering an import", PUT, args).await?;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp) -> Result<u64> {
    conn.run("forgetting old imports", PRUNE, Args::new().with(before.0)).await
}
