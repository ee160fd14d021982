//! Runs the full-text query: one statement returns all hits, and the best are selected here.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{LexicalHit, LexicalQuery};
use rusqlite::Row;

use super::Access;
use super::cached_columns::{self, STAMP};
use super::sealed;
use crate::cache::{Seen, Stamp, VaultCache};
use crate::columns::{Columns, Pass, covers};
use crate::lexical::best;
use crate::sealed::may_pass;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{filter, fts, packed};

pub(super) async fn lexical<M>(
    access: &mut Access<'_, M>,
    query: &LexicalQuery,
    limit: usize,
) -> Result<Vec<LexicalHit>> {
    let Some(expression) = fts::expression(query) else { return Ok(Vec::new()) };
    if let Some(cache) = cache_for(access, &query.filter)
        && let Some((mut hits, any_sealed)) = by_columns(access, cache, &expression, &query.filter).await?
    {
        if any_sealed && may_pass(&query.filter) {
            sealed::add(access, query, &mut hits).await?;
        }
        return Ok(best(hits, limit));
    }
    access.conn.settle_index().await?;
    let (mut hits, any_sealed) = by_join(access.conn, expression, &query.filter).await?;
    if any_sealed && may_pass(&query.filter) {
        sealed::add(access, query, &mut hits).await?;
    }
    Ok(best(hits, limit))
}

/// SQL for numbers and BM25 of all matches.
pub(super) fn packed_matches() -> String {
    packed::pack(&format!("SELECT rowid || ',' || {} AS hit FROM search WHERE search MATCH ? LIMIT -1", packed::BM25))
}

/// Returns the cache of columns if it may answer for a filter.
pub(super) fn cache_for<'c, M>(access: &Access<'c, M>, filter: &MemoryFilter) -> Option<&'c VaultCache<Columns>> {
    access.columns.filter(|cache| covers(filter) && cache.is_promising() && !matches!(access.seen, Seen::Unfit))
}

/// Reads only numbers and BM25 by SQL and takes the rest from the cached columns; also returns whether anything is
/// sealed. `None` if the cache does not fit.
async fn by_columns<M>(
    access: &mut Access<'_, M>,
    cache: &VaultCache<Columns>,
    expression: &str,
    filter: &MemoryFilter,
) -> Result<Option<(Vec<LexicalHit>, bool)>> {
    let sql = format!("SELECT {STAMP}, ({}), {}", packed_matches(), sealed::ANY);
    let found = access
        .conn
        .row("searching", sql, Args::new().with(expression.to_owned()), |row| {
            let c = &mut Cells::new(row);
            Ok((cached_columns::stamp(c)?, packed::scored(c.opt_str()?.unwrap_or_default())?, c.flag()?))
        })
        .await?;
    let Some((stamp, found, any_sealed)) = found else { return Ok(None) };
    let hits = passing(access, (cache, stamp), &found, filter).await?;
    Ok(hits.map(|hits| (hits, any_sealed)))
}

/// Returns the matches that pass the filter, by the cached columns of a stamp; `None` if there are none that fit.
pub(super) async fn passing<M>(
    access: &mut Access<'_, M>,
    (cache, stamp): (&VaultCache<Columns>, Stamp),
    found: &[(i64, f64)],
    filter: &MemoryFilter,
) -> Result<Option<Vec<LexicalHit>>> {
    access.seen = Seen::of(cached_columns::columns(access.conn, cache, stamp).await?);
    Ok(access.seen.fit().map(|columns| columns.hits(found, &Pass::new(filter, &columns))))
}

/// Reads all hits by one statement; also returns whether anything is sealed.
async fn by_join(conn: &mut Conn, expression: String, filter: &MemoryFilter) -> Result<(Vec<LexicalHit>, bool)> {
    // CROSS makes the full-text index the outer loop. BM25 is computed for every hit anyway, so sorting in SQL would
    // only add cost.
    let mut sql = format!(
        "SELECT {} AS hit FROM search CROSS JOIN memories m ON m.seq = search.rowid WHERE search MATCH ?",
        packed::row(packed::BM25)
    );
    let mut args = Args::new().with(expression);
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    sql.push_str(" LIMIT -1");
    let sql = format!("SELECT ({}), {}", packed::pack(&sql), sealed::ANY);
    let found = conn.row("searching", sql, args, with_any_sealed).await?;
    let (packed, any_sealed) = found.unwrap_or_default();
    Ok((packed::hits(packed.as_deref().unwrap_or_default())?, any_sealed))
}

/// Reads a packed answer, and whether anything is sealed.
pub(super) fn with_any_sealed(row: &Row<'_>) -> Result<(Option<String>, bool)> {
    let c = &mut Cells::new(row);
    Ok((c.opt_text()?, c.flag()?))
}
