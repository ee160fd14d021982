//! Brings the cached columns up to the reader's snapshot, and reads hits by SQL where there is no cache.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{LexicalHit, SessionSpot};
use kimberly_core::time::Timestamp;

use super::Access;
use crate::cache::{CacheLookup, Seen, Stamp};
use crate::columns::{Columns, Entry, Further, Loaded, covers};
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::rows::{Cells, from_code, traits};
use crate::slots;

/// The columns of `memories m` that [`hit`] reads.
pub(super) const HIT_COLUMNS: &str = "m.seq, m.session, m.position, m.speaker, \
     coalesce(m.occurred_at, m.created_at), m.created_at, m.traits, m.words, m.score, m.tier, \
     m.stale_since IS NOT NULL";
/// State, sensitivity, source, scope, withheld flag and kind in one number, then the namespace, then start and end of
/// validity.
const MORE: &str = "m.state + m.sensitive::int * 4 + m.source * 8 + m.scope * 32 + (m.withheld > 0)::int * 128 + \
     coalesce(m.kind, 0) * 256, \
     m.namespace, m.valid_from, m.valid_to";
const NAMESPACES: &str = "SELECT name, no FROM namespaces WHERE user_id = $1 ORDER BY no";

/// Reads a hit from [`HIT_COLUMNS`].
pub(super) fn hit(c: &mut Cells<'_>, bm25: f64) -> Result<LexicalHit> {
    let (seq, session, position) = (Seq(c.int()?), c.opt_int()?, c.opt_int()?);
    Ok(LexicalHit {
        seq,
        bm25,
        spot: session.zip(position).map(|(session, position)| SessionSpot { session, position }),
        speaker: c.opt_int()?,
        occurred_at: Timestamp(c.int()?),
        created_at: Timestamp(c.int()?),
        traits: traits(c.int()?, c.int()?),
        score: c.real()?,
        tier: from_code(c.int()?)?,
        stale: c.flag()?,
    })
}

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
    let entries = conn.rows("loading columns", sql, args, |row| {
        let c = &mut Cells::new(row);
        let hit = hit(c, 0.0)?;
        let (more, namespace, valid_from, valid_to) = (c.int()?, c.int()?, c.opt_int()?, c.opt_int()?);
        let further = Further { more, namespace, valid_from, valid_to };
        Entry::new(&hit, further).ok_or_else(|| errors::corrupt("a number of a memory is out of bounds"))
    });
    let entries = entries.await?;
    let args = conn.args();
    let namespaces = conn.rows("loading the names of namespaces", NAMESPACES, args, |row| {
        let c = &mut Cells::new(row);
        let (name, no) = (c.text()?, c.int()?);
        let no = u32::try_from(no).map_err(|_| errors::corrupt("the number of a namespace is out of bounds"))?;
        Ok((name, no))
    });
    Ok((entries, namespaces.await?))
}
