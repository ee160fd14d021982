//! Brings the cached columns up to the reader's snapshot.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::Access;
use crate::cache::{Seen, Stamp, VaultCache};
use crate::columns::{Columns, Loaded, covers};
use crate::rows::{HIT_COLUMNS, entry, namespace};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

/// The columns of a stamp, to precede other columns of a statement.
pub(super) const STAMP: &str = "(SELECT items FROM counters WHERE slot = 9), \
     (SELECT items FROM counters WHERE slot = 12), (SELECT sum(items) FROM counters WHERE slot < 9)";

/// The further columns of an [`entry`].
const MORE: &str = "m.state + m.sensitive * 4 + m.source * 8 + m.scope * 32 + (m.withheld > 0) * 128 + \
     coalesce(m.kind, 0) * 256, m.namespace, m.valid_from, m.valid_to";
const NAMESPACES: &str = "SELECT name, no FROM namespaces ORDER BY no";

/// Reads the columns of [`STAMP`].
pub(super) fn stamp(c: &mut Cells<'_>) -> Result<Stamp> {
    Ok(Stamp { created: c.int()?, changes: c.int()?, items: c.count()? })
}

/// Returns the cached columns for the snapshot; `None` if there are none and the caller must use SQL.
pub(super) async fn columns(
    conn: &mut Conn,
    cache: &VaultCache<Columns>,
    stamp: Stamp,
) -> Result<Option<Arc<Columns>>> {
    Columns::at(cache, stamp, |last| load(conn, last)).await
}

/// Returns the cached columns for the snapshot if they cover a filter; `None` if the caller must use SQL.
pub(super) async fn columns_for<M>(access: &mut Access<'_, M>, filter: &MemoryFilter) -> Result<Option<Arc<Columns>>> {
    let Some(cache) = access.columns.filter(|cache| covers(filter) && cache.is_promising()) else { return Ok(None) };
    if matches!(access.seen, Seen::Unknown) {
        access.seen = Seen::of(columns_now(access.conn, cache).await?);
    }
    Ok(access.seen.fit())
}

/// Returns the cached columns for the snapshot, reading its stamp by a separate statement.
async fn columns_now(conn: &mut Conn, cache: &VaultCache<Columns>) -> Result<Option<Arc<Columns>>> {
    let stamp = stamp_now(conn).await?;
    columns(conn, cache, stamp).await
}

/// Reads the stamp of the snapshot.
pub(super) async fn stamp_now(conn: &mut Conn) -> Result<Stamp> {
    let sql = format!("SELECT {STAMP}");
    let stamp = conn.row("reading new memories", sql, Args::new(), |row| stamp(&mut Cells::new(row))).await?;
    stamp.ok_or_else(|| errors::corrupt("the counters are missing"))
}

/// Loads entries of memories with higher numbers, and all namespaces.
async fn load(conn: &mut Conn, last: i64) -> Result<Loaded> {
    let sql = format!("SELECT {HIT_COLUMNS}, {MORE} FROM memories m WHERE m.seq > ? ORDER BY m.seq");
    let entries = conn.rows("loading columns", sql, Args::new().with(last), |row| entry(&mut Cells::new(row))).await?;
    let namespaces =
        conn.rows("loading the names of namespaces", NAMESPACES, Args::new(), |row| namespace(&mut Cells::new(row)));
    Ok((entries, namespaces.await?))
}
