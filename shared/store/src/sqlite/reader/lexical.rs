//! Runs the full-text query, which returns all hits; the best are selected here.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{LexicalHit, LexicalQuery};

use super::Access;
use super::cached_columns::{self, STAMP};
use super::sealed;
use crate::cache::{Seen, VaultCache};
use crate::columns::{Columns, Pass, covers};
use crate::lexical::best;
use crate::rows::{HIT_COLUMNS, hit};
use crate::sealed::may_pass;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::{filter, fts};

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

/// BM25 of the current row of `search` in integer units, which the other backend computes, too.
const BM25: &str = "CAST(-1e15 * bm25(search) AS INTEGER)";
/// Units per 1 of BM25.
const BM25_UNITS: f64 = 1e15;

/// Returns the cache of columns if it may answer for a filter.
fn cache_for<'c, M>(access: &Access<'c, M>, filter: &MemoryFilter) -> Option<&'c VaultCache<Columns>> {
    access.columns.filter(|cache| covers(filter) && cache.is_promising() && !matches!(access.seen, Seen::Unfit))
}

/// Reads only numbers and BM25 by SQL, and takes the rest from the cached columns; also returns whether anything is
/// sealed. `None` if the cache does not fit.
async fn by_columns<M>(
    access: &mut Access<'_, M>,
    cache: &VaultCache<Columns>,
    expression: &str,
    filter: &MemoryFilter,
) -> Result<Option<(Vec<LexicalHit>, bool)>> {
    let sql = format!("SELECT {STAMP}, {}", sealed::ANY);
    let stamp = access.conn.row("reading what is new", sql, Args::new(), |row| {
        let c = &mut Cells::new(row);
        Ok((cached_columns::stamp(c)?, c.flag()?))
    });
    let Some((stamp, any_sealed)) = stamp.await? else { return Ok(None) };
    let sql = format!("SELECT rowid, {BM25} FROM search WHERE search MATCH ?");
    let found = access.conn.rows("searching", sql, Args::new().with(expression), |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, bm25(c)?))
    });
    let found = found.await?;
    access.seen = Seen::of(cached_columns::columns(access.conn, cache, stamp).await?);
    Ok(access.seen.fit().map(|columns| (columns.hits(&found, &Pass::new(filter, &columns)), any_sealed)))
}

/// Reads all hits by SQL; also returns whether anything is sealed.
async fn by_join(conn: &mut Conn, expression: String, filter: &MemoryFilter) -> Result<(Vec<LexicalHit>, bool)> {
    // CROSS makes the full-text index the outer loop. BM25 is computed for every hit anyway, so sorting in SQL would
    // only add cost.
    let mut sql = format!(
        "SELECT {BM25}, {HIT_COLUMNS} FROM search CROSS JOIN memories m ON m.seq = search.rowid WHERE search MATCH ?"
    );
    let mut args = Args::new().with(expression);
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    let hits = conn.rows("searching", sql, args, |row| {
        let c = &mut Cells::new(row);
        let bm25 = bm25(c)?;
        hit(c, bm25)
    });
    Ok((hits.await?, sealed::any(conn).await?))
}

#[expect(clippy::cast_precision_loss, reason = "BM25 needs no more digits")]
fn bm25(c: &mut Cells<'_>) -> Result<f64> {
    Ok(c.int()? as f64 / BM25_UNITS)
}
