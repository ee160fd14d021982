//! Stores the progress of imports.

use kimberly_core::Timestamp;
use kimberly_core::bounds::MAX_IMPORTS;
use kimberly_core::error::Result;
use kimberly_core::ports::ImportProgress;

use crate::chosen;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::unsigned;

const PUT: &str = "INSERT OR REPLACE INTO imports (id, done, refused, at) VALUES (?, ?, ?, ?)";
/// The import just stored counts as the newest, whatever the clocks say.
const BOUND: &str = "DELETE FROM imports WHERE id IN \
    (SELECT id FROM imports WHERE id <> ? ORDER BY at DESC, id LIMIT -1 OFFSET ?)";
const PRUNE: &str = "DELETE FROM imports WHERE at < ?";

pub(super) async fn put(conn: &mut Conn, id: &str, progress: ImportProgress, at: Timestamp) -> Result<()> {
    let id = chosen::hashed(id);
    let args = Args::new().with(id.clone()).with(unsigned(progress.done)).with(unsigned(progress.refused));
    conn.run("recording an import", PUT, args.with(at.0)).await?;
    let others = Args::new().with(id).with(unsigned(MAX_IMPORTS as u64 - 1));
    conn.run("deleting import records over the bound", BOUND, others).await?;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp) -> Result<u64> {
    conn.run("deleting old import records", PRUNE, Args::new().with(before.0)).await
}
