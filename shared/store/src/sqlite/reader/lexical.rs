//! The full-text query: one statement, all hits, the best chosen here.

use std::cmp::Ordering;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{LexicalHit, LexicalQuery};

use super::Access;
use super::kept::{self, STAMP, Seen};
use crate::sqlite::columns::{Cache, Pass, covers};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{filter, fts, packed};

pub(super) async fn lexical<M>(
    access: &mut Access<'_, M>,
    query: &LexicalQuery,
    limit: usize,
) -> Result<Vec<LexicalHit>> {
    let Some(expression) = fts::expression(query) else { return Ok(Vec::new()) };
    if let Some(cache) = access.cache.filter(|cache| covers(&query.filter) && cache.is_promising())
        && let Some(hits) = by_columns(access, cache, &expression, &query.filter).await?
    {
        return Ok(best(hits, limit));
    }
    access.conn.settle_index().await?;
    let hits = by_join(access.conn, expression, &query.filter).await?;
    Ok(best(hits, limit))
}

/// Only numbers and BM25 from SQL, the rest from the kept columns; `None` if they do not fit.
async fn by_columns<M>(
    access: &mut Access<'_, M>,
    cache: &Cache,
    expression: &str,
    filter: &MemoryFilter,
) -> Result<Option<Vec<LexicalHit>>> {
    if matches!(access.seen, Seen::Unfit) {
        return Ok(None);
    }
    let matches = format!("SELECT rowid || ',' || {} AS hit FROM search WHERE search MATCH ? LIMIT -1", packed::BM25);
    let sql = format!("SELECT {STAMP}, ({})", packed::pack(&matches));
    let found = access
        .conn
        .row("searching", sql, Args::new().with(expression.to_owned()), |row| {
            let c = &mut Cells::new(row);
            Ok((kept::stamp(c)?, packed::scored(c.opt_str()?.unwrap_or_default())?))
        })
        .await?;
    let Some((stamp, found)) = found else { return Ok(None) };
    let Some(columns) = kept::columns(access.conn, cache, stamp).await? else {
        access.seen = Seen::Unfit;
        return Ok(None);
    };
    let hits = columns.hits(&found, &Pass::new(filter, &columns));
    access.seen = Seen::Fit(columns);
    Ok(Some(hits))
}

/// Everything from one statement.
async fn by_join(conn: &mut Conn, expression: String, filter: &MemoryFilter) -> Result<Vec<LexicalHit>> {
    // CROSS: the index leads. BM25 is computed for every hit anyhow, so sorting in SQL would only cost more.
    let mut sql = format!(
        "SELECT {} AS hit FROM search CROSS JOIN memories m ON m.seq = search.rowid WHERE search MATCH ?",
        packed::row(packed::BM25)
    );
    let mut args = Args::new().with(expression);
    filter::push_conditions(&mut sql, &mut args, filter);
    sql.push_str(" LIMIT -1");
    let packed = conn.row("searching", packed::pack(&sql), args, |row| Cells::new(row).opt_text()).await?.flatten();
    packed::hits(packed.as_deref().unwrap_or_default())
}

/// The best hits, best first, ties by number.
pub(super) fn best(mut hits: Vec<LexicalHit>, limit: usize) -> Vec<LexicalHit> {
    let order = |a: &LexicalHit, b: &LexicalHit| -> Ordering { b.bm25.total_cmp(&a.bm25).then(a.seq.cmp(&b.seq)) };
    if limit < hits.len() {
        if limit > 0 {
            hits.select_nth_unstable_by(limit - 1, order);
        }
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
    hits
}
