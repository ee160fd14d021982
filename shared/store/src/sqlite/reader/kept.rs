//! Brings the kept columns to the state of a reader's snapshot.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::Access;
use crate::columns::{Cache, Columns, Entry, Kept, Stamp, covers};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{errors, packed};

/// The columns of a stamp, in front of other columns of a statement.
pub(super) const STAMP: &str = "(SELECT items FROM counters WHERE slot = 9), \
     (SELECT items FROM counters WHERE slot = 12), (SELECT sum(items) FROM counters WHERE slot < 9)";

const NAMESPACES: &str = "SELECT json_group_array(json_array(name, no)) FROM namespaces";

/// Reads the columns of [`STAMP`].
pub(super) fn stamp(c: &mut Cells<'_>) -> Result<Stamp> {
    Ok(Stamp { created: c.int()?, changes: c.int()?, items: c.count()? })
}

/// What one read knows of the kept columns.
#[derive(Default)]
pub(super) enum Seen {
    /// It did not look yet.
    #[default]
    Unknown,
    /// These are those of its snapshot.
    Fit(Arc<Columns>),
    /// There are none for its snapshot: SQL has to do.
    Unfit,
}

/// The columns of the snapshot; `None` if there are none and SQL has to do.
pub(super) async fn columns(conn: &mut Conn, cache: &Cache, stamp: Stamp) -> Result<Option<Arc<Columns>>> {
    let columns = match cache.look(stamp) {
        Kept::Fresh(columns) => return Ok(Some(columns)),
        Kept::Unfit => return Ok(None),
        Kept::Older(columns, last) => columns.extended(stamp, load(conn, last).await?),
        Kept::Nothing => Columns::new(stamp, load(conn, 0).await?),
    };
    let columns = Arc::new(columns);
    cache.keep(&columns);
    Ok(Some(columns))
}

/// The snapshot's columns, if they can answer for a filter; `None` if SQL has to do.
pub(super) async fn columns_for<M>(access: &mut Access<'_, M>, filter: &MemoryFilter) -> Result<Option<Arc<Columns>>> {
    let Some(cache) = access.cache.filter(|cache| covers(filter) && cache.is_promising()) else { return Ok(None) };
    if matches!(access.seen, Seen::Unknown) {
        access.seen = columns_now(access.conn, cache).await?.map_or(Seen::Unfit, Seen::Fit);
    }
    Ok(match &access.seen {
        Seen::Fit(columns) => Some(Arc::clone(columns)),
        _ => None,
    })
}

/// The snapshot's columns, when no other statement brought its stamp.
async fn columns_now(conn: &mut Conn, cache: &Cache) -> Result<Option<Arc<Columns>>> {
    let sql = format!("SELECT {STAMP}");
    let stamp = conn.row("reading what is new", sql, Args::new(), |row| stamp(&mut Cells::new(row))).await?;
    columns(conn, cache, stamp.ok_or_else(|| errors::corrupt("the counters are gone"))?).await
}

/// Entries of memories with a higher number, and all namespaces.
async fn load(conn: &mut Conn, last: i64) -> Result<(Vec<Entry>, Vec<(String, u32)>)> {
    let packed = packed::pack(&format!(
        "SELECT {} || ',' || {} AS hit FROM memories m WHERE m.seq > ? ORDER BY m.seq LIMIT -1",
        packed::row(packed::NO_BM25),
        packed::MORE
    ));
    let sql = format!("SELECT ({packed}), ({NAMESPACES})");
    let found = conn
        .row("loading columns", sql, Args::new().with(last), |row| {
            let c = &mut Cells::new(row);
            Ok((c.opt_text()?, c.text()?))
        })
        .await?;
    let Some((packed, namespaces)) = found else { return Ok((Vec::new(), Vec::new())) };
    let unreadable = |_| errors::corrupt("the names of namespaces are not readable");
    let namespaces = serde_json::from_str(&namespaces).map_err(unreadable)?;
    Ok((packed::entries(packed.as_deref().unwrap_or_default())?, namespaces))
}
