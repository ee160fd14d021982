//! Brings the cached columns up to the reader's snapshot, and reads hits by SQL where there is no cache.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::Access;
use crate::cache::{CacheLookup, Seen, Stamp};
use crate::columns::{Columns, Loaded, covers};
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::rows::Cells;
use crate::rows::{HIT_COLUMNS, entry, namespace};
use crate::slots;

/// The further columns of an [`entry`].
const MORE: &str = "m.state + m.sensitive::int * 4 + m.source * 8 + m.scope * 32 + (m.withheld > 0)::int * 128 + \
     coalesce(m.kind, 0) * 256, \
     m.namespace, m.valid_from, m.valid_to";
const NAMESPACES: &str = "SELECT name, no FROM namespaces WHERE user_id = $1 ORDER BY no";

/// Returns the cached columns for the snapshot if they cover a filter; `None` if the caller must use SQL.
pub(super) async fn columns_for<M>(access: &mut Access<'_, M>, filter: &MemoryFilter) -> Result<Option<Arc<Columns>>> {
    if !covers(filter) {
        return Ok(None);
    }
    if matches!(access.columns, Seen::Unknown) {
        access.columns = Seen::of(look(access).await?);
    }
    Ok(access.columns.fit())
}

async fn look<M>(access: &mut Access<'_, M>) -> Result<Option<Arc<Columns>>> {
    let stamp = stamp(access.conn)?;
    let Some(caches) = access.caches.as_ref().filter(|caches| caches.columns.is_promising()) else { return Ok(None) };
    if access.again != Some(true) && matches!(caches.columns.at(stamp), CacheLookup::Nothing) {
        return Ok(None);
    }
    let conn = &mut *access.conn;
    Columns::at(&caches.columns, stamp, |last| load(conn, last)).await
}

/// Records that words are searched, and returns whether they were searched before at the same count of changes: loading
/// a whole vault does not pay for a single search. The answer stays the same within one read.
pub(super) fn again<M>(access: &mut Access<'_, M>) -> Result<bool> {
    let stamp = stamp(access.conn)?;
    let Some(caches) = &access.caches else { return Ok(false) };
    let before = || caches.searched.swap(stamp.changes, Ordering::Relaxed) == stamp.changes;
    Ok(*access.again.get_or_insert_with(before))
}

/// Returns the stamp of the snapshot.
pub(super) fn stamp(conn: &Conn) -> Result<Stamp> {
    let head = &conn.head;
    let items = u64::try_from(head.memories()).map_err(|_| errors::corrupt("a counter is negative"))?;
    Ok(Stamp { created: head.items(slots::CREATED), changes: head.items(slots::RECALL), items })
}

/// Loads entries of memories with higher numbers, and all namespaces.
async fn load(conn: &mut Conn, last: i64) -> Result<Loaded> {
    let sql =
        format!("SELECT {HIT_COLUMNS}, {MORE} FROM memories m WHERE m.user_id = $1 AND m.seq > $2 ORDER BY m.seq");
    let args = conn.args().with(last);
    let entries = conn.rows("loading columns", sql, args, |row| entry(&mut Cells::new(row)));
    let entries = entries.await?;
    let args = conn.args();
    let namespaces =
        conn.rows("loading the names of namespaces", NAMESPACES, args, |row| namespace(&mut Cells::new(row)));
    Ok((entries, namespaces.await?))
}
