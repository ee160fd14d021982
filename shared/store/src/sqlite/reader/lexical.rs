//! The full-text query: one statement, all hits, the best chosen here.

use std::cmp::Ordering;

use kimberly_core::error::Result;
use kimberly_core::ports::{LexicalHit, LexicalQuery};

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{filter, fts, packed};

pub(super) async fn lexical(conn: &mut Conn, query: &LexicalQuery, limit: usize) -> Result<Vec<LexicalHit>> {
    let Some(expression) = fts::expression(query) else { return Ok(Vec::new()) };
    conn.settle_index().await?;
    // CROSS: the index leads. BM25 is computed for every hit anyhow, so sorting in SQL would only cost more.
    let mut sql = format!(
        "SELECT {} AS hit FROM search CROSS JOIN memories m ON m.seq = search.rowid WHERE search MATCH ?",
        packed::row(packed::BM25)
    );
    let mut args = Args::new().with(expression);
    filter::push_conditions(&mut sql, &mut args, &query.filter);
    sql.push_str(" LIMIT -1");
    let packed = conn.row("searching", packed::pack(&sql), args, |row| Cells::new(row).opt_text()).await?.flatten();
    let hits = packed::hits(packed.as_deref().unwrap_or_default())?;
    Ok(best(hits, limit))
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
