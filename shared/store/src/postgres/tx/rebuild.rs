//! Rebuilds the full-text index, page by page, each in a transaction of its own. A row holds its own part of the index, so
//! that each page is right by itself and an interrupted rebuild harms nothing.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::usage::Usage;
use uuid::Uuid;

use super::index;
use crate::page::Page;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::corrections;
use crate::slots;

/// Memories per page.
const PAGE: usize = 256;
/// Bytes of memories per page.
const PAGE_BYTES: usize = 256 * 1024;

const DUE: &str = "SELECT seq, size_bytes FROM memories WHERE user_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
const INDEXED: &str = "SELECT count(*), coalesce(sum(tokens), 0)::bigint FROM memories \
     WHERE user_id = $1 AND indexed IS NOT NULL";

/// Does the page after a number, the first one without; returns its last number, `None` once all is done. Pages of two
/// runs do not disturb each other.
pub(super) async fn rebuild(conn: &mut Conn, _: Uuid, after: Option<Seq>) -> Result<Option<Seq>> {
    let after = after.map_or(0, |after| after.0);
    let mut page = Page::new(PAGE_BYTES);
    let args = conn.args().with(after).with(i64::try_from(PAGE).unwrap_or(i64::MAX));
    conn.for_each("selecting memories to index", DUE, args, |row| {
        let c = &mut Cells::new(row);
        let (seq, bytes) = (c.int()?, c.count()?);
        Ok(page.take(seq, bytes))
    })
    .await?;
    let (is_last, seqs) = (page.is_short(PAGE), page.items());
    let last = seqs.last().copied().unwrap_or(after);
    index::renew(conn, seqs).await?;
    if !is_last {
        return Ok(Some(Seq(last)));
    }
    let (items, tokens) = indexed(conn).await?;
    conn.head.clear(slots::INDEXED);
    conn.head.add(slots::INDEXED, items, tokens);
    let created = conn.head.items(slots::CREATED).max(last);
    conn.head.set(slots::CREATED, created);
    conn.head.recall_changed();
    Ok(None)
}

/// Adds to the counters what a recount found missing.
#[expect(clippy::unused_async, reason = "both backends are called alike, and the other one waits")]
pub(super) async fn correct(conn: &mut Conn, stored: &Usage, counted: &Usage) -> Result<()> {
    for (slot, items, bytes) in corrections(stored, counted) {
        conn.head.add(slot, items, bytes);
    }
    Ok(())
}

async fn indexed(conn: &mut Conn) -> Result<(i64, i64)> {
    let args = conn.args();
    let read = |row: &_| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.int()?))
    };
    Ok(conn.row("counting what is indexed", INDEXED, args, read).await?.unwrap_or_default())
}
