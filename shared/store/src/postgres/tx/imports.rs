//! Stores the progress of imports.

use kimberly_core::Timestamp;
use kimberly_core::bounds::MAX_IMPORTS;
use kimberly_core::error::Result;
use kimberly_core::ports::ImportProgress;

use crate::chosen;
use crate::postgres::conn::Conn;
use crate::postgres::rows::unsigned;

const PUT: &str = "INSERT INTO imports (user_id, id, done, refused, at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (user_id, id) DO UPDATE SET done = excluded.done, refused = excluded.refused, at = excluded.at";
/// The import just stored counts as the newest, whatever the clocks say.
const BOUND: &str = "DELETE FROM imports WHERE user_id = $1 AND id IN \
     (SELECT id FROM imports WHERE user_id = $1 AND id <> $2 ORDER BY at DESC, id OFFSET $3)";
const PRUNE: &str = "DELETE FROM imports WHERE user_id = $1 AND at < $2";

pub(super) async fn put(conn: &mut Conn, id: &str, progress: ImportProgress, at: Timestamp) -> Result<()> {
    let id = chosen::hashed(id);
    let args = conn.args().with(id.clone()).with(unsigned(progress.done)).with(unsigned(progress.refused));
    conn.run("recording an import", PUT, args.with(at.0)).await?;
    let others = conn.args().with(id).with(unsigned(MAX_IMPORTS as u64 - 1));
    conn.run("deleting import records over the bound", BOUND, others).await?;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp) -> Result<u64> {
    let args = conn.args().with(before.0);
    conn.run("deleting old import records", PRUNE, args).await
}
