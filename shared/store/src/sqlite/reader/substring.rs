//! Finds memories that contain a piece of text: in the cached texts, or with `LIKE` over the vault.
//!
//! A trigram index would more than double a vault (442 to 1,074 KB per 1,000 memories) and gain nothing at this size.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::LexicalHit;

use super::{Access, cached_columns, limit as sql_limit, sealed};
use crate::cache::{CacheEntry as _, CacheLookup, Stamp, VaultCache};
use crate::columns::Pass;
use crate::like;
use crate::rows::{HIT_COLUMNS, hit};
use crate::sealed::may_pass;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter;
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::texts::Texts;

/// Longest text in bytes for LIKE, whose patterns are limited to 50,000 bytes.
const LONGEST_PATTERN: usize = 16 * 1024;

/// The content with the texts of a detail, which few memories have.
const SEARCHED: &str = "iif(m.texts IS NULL, m.content, m.content || char(10) || m.texts)";

const BYTES: &str = "SELECT coalesce(sum(bytes), 0) FROM counters WHERE slot < 9";

pub(super) async fn substring<M>(
    access: &mut Access<'_, M>,
    text: &str,
    filter: &MemoryFilter,
    limit: usize,
) -> Result<Vec<LexicalHit>> {
    // No content contains a NUL, and SQLite would end the text there.
    if text.contains('\0') {
        return Ok(Vec::new());
    }
    let mut hits = match by_texts(access, text, filter).await? {
        Some(hits) => hits,
        None => by_scan(access.conn, text, filter, limit).await?,
    };
    if may_pass(filter) && sealed::any(access.conn).await? {
        sealed::add_substring(access.conn, text, (filter, limit), &mut hits).await?;
    }
    hits.sort_unstable_by_key(|hit| std::cmp::Reverse((hit.created_at, hit.seq)));
    hits.truncate(limit);
    Ok(hits)
}

/// Searches the cached texts; `None` if they, or the columns for the filter, are not cached.
async fn by_texts<M>(access: &mut Access<'_, M>, text: &str, filter: &MemoryFilter) -> Result<Option<Vec<LexicalHit>>> {
    let Some(cache) = access.texts.filter(|cache| cache.is_promising()) else { return Ok(None) };
    let Some(columns) = cached_columns::columns_for(access, filter).await? else { return Ok(None) };
    let Some(texts) = texts(access.conn, cache, columns.stamp()).await? else { return Ok(None) };
    let found: Vec<(i64, f64)> = texts.holding(text).into_iter().map(|seq| (seq, 0.0)).collect();
    Ok(Some(columns.hits(&found, &Pass::new(filter, &columns))))
}

/// Returns the texts of the snapshot, loading missing ones; `None` if there is no room for them or another reader loads.
async fn texts(conn: &mut Conn, cache: &VaultCache<Texts>, stamp: Stamp) -> Result<Option<Arc<Texts>>> {
    let filling = match cache.at(stamp) {
        CacheLookup::Fresh(texts) => return Ok(Some(texts)),
        CacheLookup::Unfit => None,
        CacheLookup::Older(texts) => texts.extend(cache, stamp),
        CacheLookup::Nothing => Texts::load(cache, stamp, bytes(conn).await?),
    };
    let Some(mut filling) = filling else { return Ok(None) };
    // Sealed memories have the content ''.
    let sql =
        format!("SELECT m.seq, {SEARCHED} FROM memories m WHERE m.seq > ? AND m.sealed_content IS NULL ORDER BY m.seq");
    let args = Args::new().with(filling.beyond());
    conn.for_each("loading texts", sql, args, |row| {
        let c = &mut Cells::new(row);
        Ok(filling.add(c.int()?, c.str()?))
    })
    .await?;
    Ok(filling.whole())
}

/// Returns about how many bytes all texts have, without reading them.
async fn bytes(conn: &mut Conn) -> Result<usize> {
    let bytes = conn.row("measuring texts", BYTES, Args::new(), |row| Cells::new(row).count()).await?;
    Ok(usize::try_from(bytes.unwrap_or_default()).unwrap_or(usize::MAX))
}

async fn by_scan(conn: &mut Conn, text: &str, filter: &MemoryFilter, limit: usize) -> Result<Vec<LexicalHit>> {
    let (condition, value) = if text.len() <= LONGEST_PATTERN {
        // A bare parameter would make SQLite plan the statement again at each call.
        (format!("{SEARCHED} LIKE +? ESCAPE '\\'"), like::containing(text))
    } else {
        (format!("instr(lower({SEARCHED}), lower(?))"), text.to_owned())
    };
    let mut sql = format!("SELECT {HIT_COLUMNS} FROM memories m WHERE m.sealed_content IS NULL AND {condition}");
    let mut args = Args::new().with(value);
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    // `+`: all rows are read anyway unless many match, and reading them in the order of the table takes half the time.
    sql.push_str(" ORDER BY +m.created_at DESC, m.seq DESC LIMIT +?");
    args.push(sql_limit(limit));
    conn.rows("searching for a text", sql, args, |row| hit(&mut Cells::new(row), 0.0)).await
}
