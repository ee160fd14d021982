//! The cached full text of the snapshot, where it pays: words are then looked up and counted without a statement.

use std::sync::Arc;

use kimberly_core::error::Result;

use super::Access;
use super::cached_columns::{again, stamp};
use crate::cache::{CacheLookup, Seen};
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::text::{Newer, Postings};
use crate::slots;

/// Largest full text that is cached, in tokens; building it reads the vault's vectors.
const LARGEST: u64 = 2_000_000;
/// Bytes that a token takes.
const TOKEN_BYTES: u64 = 6;
const INDEXED: &str = "SELECT seq, tokens, indexed FROM memories \
     WHERE user_id = $1 AND seq > $2 AND indexed IS NOT NULL ORDER BY seq";

/// Returns the snapshot's full text if it is cached, or if the vault was searched before at the same count of changes.
pub(super) async fn postings<M>(access: &mut Access<'_, M>) -> Result<Option<Arc<Postings>>> {
    if matches!(access.postings, Seen::Unknown) {
        access.postings = Seen::of(look(access, false).await?);
    }
    Ok(access.postings.fit())
}

/// Like [`postings`], but builds the full text at once: for queries that Postgres could only answer by reading all of it.
pub(super) async fn postings_now<M>(access: &mut Access<'_, M>) -> Result<Option<Arc<Postings>>> {
    if !matches!(access.postings, Seen::Fit(_)) {
        access.postings = Seen::of(look(access, true).await?);
    }
    Ok(access.postings.fit())
}

async fn look<M>(access: &mut Access<'_, M>, now: bool) -> Result<Option<Arc<Postings>>> {
    let (again, stamp) = (again(access)?, stamp(access.conn)?);
    let Some(caches) = &access.caches else { return Ok(None) };
    let conn = &mut *access.conn;
    let (_, tokens) = conn.head.both(slots::INDEXED);
    if tokens > LARGEST {
        caches.postings.forget();
        return Ok(None);
    }
    let before = match caches.postings.at(stamp) {
        CacheLookup::Fresh(postings) => return Ok(Some(postings)),
        CacheLookup::Older(before) => Some(before),
        CacheLookup::Nothing if (again || now) && caches.postings.is_promising() => None,
        CacheLookup::Nothing | CacheLookup::Unfit => return Ok(None),
    };
    // One reader builds it; others query Postgres meanwhile.
    let bytes = if before.is_some() { 0 } else { tokens.saturating_mul(TOKEN_BYTES) };
    let Some(loading) = caches.postings.begin(usize::try_from(bytes).unwrap_or(usize::MAX)) else { return Ok(None) };
    let newer = newer(conn, before.as_deref()).await?;
    let postings = Postings::new(stamp, before.as_deref(), newer).map(Arc::new);
    if let Some(postings) = &postings {
        loading.put(postings);
    }
    Ok(postings)
}

/// Reads the memories that `before` lacks, or all.
async fn newer(conn: &mut Conn, before: Option<&Postings>) -> Result<Newer> {
    let mut newer = Newer::behind(before);
    let args = conn.args().with(before.map_or(0, Postings::created));
    conn.for_each("reading the full text", INDEXED, args, |row| {
        let c = &mut Cells::new(row);
        newer.add(c.int()?, c.count()?, c.opt_bytes()?.unwrap_or_default())?;
        Ok(true)
    })
    .await?;
    Ok(newer)
}
