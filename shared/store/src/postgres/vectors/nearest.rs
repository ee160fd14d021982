//! Nearest-neighbour search over a user's memories.

use std::collections::HashSet;

use kimberly_core::embedding::{Quantized, VectorHit, VectorSubject};
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;

use super::index::Index;
use super::subjects::{self, BEFORE_GOALS};
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

/// The cosine, computed like in the other backend: an integer product, converted to float, times the inverse of both
/// lengths. The query is converted once instead of once per row.
const COSINE: &str =
    "((-(direction <#> (SELECT $3::real[]::halfvec)))::real * $4::real * inverse_length)::double precision";
/// Maximum number of rows requested from a graph; for more, all vectors are compared.
const MOST_PROPOSED: usize = 4_000;
/// Rows that a graph scans per iteration: this many per requested row, within bounds. With 50,000 vectors this finds
/// 99% of the nearest 10 and of the nearest 400. 1,000 is Postgres' maximum.
const LOOKED_AT_PER_ROW: usize = 2;
const LEAST_LOOKED_AT: usize = 200;
const MOST_LOOKED_AT: usize = 1_000;
/// Sets the scan size, lets the search iterate until it has enough rows, and disables sorting, because the graph
/// returns rows in order. Postgres takes user and graph for independent conditions and so underestimates a large user's
/// rows.
const SEARCH: &str = "SELECT set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', 'relaxed_order', true), \
     set_config('enable_sort', 'off', true)";

/// A memory's row with its cosine.
struct Scored {
    seq: Seq,
    chunk: u16,
    cosine: f32,
}

/// Returns at most `limit` memories nearest to a query, nearest first, each once with its best chunk.
pub(super) async fn nearest(conn: &mut Conn, index: &Index, query: &Quantized, limit: usize) -> Result<Vec<VectorHit>> {
    let vectors = usize::try_from(index.vectors).unwrap_or(usize::MAX);
    let each = usize::try_from(index.vectors.div_ceil(index.items.max(1))).unwrap_or(usize::MAX);
    // Several chunks of one memory may be among the rows, so more rows are requested until there are enough memories.
    let mut wanted = limit.saturating_mul(each);
    while limit > 0 && wanted < vectors {
        let scored = match index.graph.filter(|_| index.graph_is_ready && wanted <= MOST_PROPOSED) {
            Some(graph) => proposed(conn, index, graph, (query, wanted)).await?,
            None => first(conn, index, query, wanted).await?,
        };
        let hits = memories(scored, limit);
        if hits.len() == limit {
            return Ok(hits);
        }
        wanted = wanted.saturating_mul(2);
    }
    if limit == 0 { Ok(Vec::new()) } else { Ok(memories(all(conn, index, query).await?, limit)) }
}

/// Returns every row.
async fn all(conn: &mut Conn, index: &Index, query: &Quantized) -> Result<Vec<Scored>> {
    rows(conn, format!("{} AND subject < {BEFORE_GOALS}", select()), args(conn, index, query)).await
}

/// Returns the nearest rows by comparing all.
async fn first(conn: &mut Conn, index: &Index, query: &Quantized, wanted: usize) -> Result<Vec<Scored>> {
    let sql = format!("{} AND subject < {BEFORE_GOALS} ORDER BY 3 DESC, subject, chunk LIMIT $5", select());
    rows(conn, sql, args(conn, index, query).with(i64::try_from(wanted).unwrap_or(i64::MAX))).await
}

/// Returns the rows that the index's graph proposes.
async fn proposed(
    conn: &mut Conn,
    index: &Index,
    graph: i64,
    (query, wanted): (&Quantized, usize),
) -> Result<Vec<Scored>> {
    let look_at = wanted.saturating_mul(LOOKED_AT_PER_ROW).clamp(LEAST_LOOKED_AT, MOST_LOOKED_AT);
    conn.run("searching vectors", SEARCH, Args::none().with(look_at.to_string())).await?;
    let sql = format!("{} {}", select(), by_graph(graph, index.model.dimension()));
    rows(conn, sql, args(conn, index, query).with(i64::try_from(wanted).unwrap_or(i64::MAX))).await
}

/// Returns the end of a query answered by a graph. The graph's number is inlined, because a partial index is used only
/// if its condition is known when the statement is planned.
fn by_graph(graph: i64, dimension: u32) -> String {
    format!(
        "AND graph = {graph} ORDER BY (direction::halfvec({dimension})) <=> (SELECT $3::real[]::halfvec({dimension})) LIMIT $5"
    )
}

fn select() -> String {
    format!("SELECT subject, chunk, {COSINE} FROM vectors WHERE user_id = $1 AND no = $2")
}

fn args(conn: &Conn, index: &Index, query: &Quantized) -> Args {
    let components: Vec<f32> = query.components.iter().map(|&x| f32::from(x)).collect();
    conn.args().with(index.no).with(components).with(query.inverse_length)
}

async fn rows(conn: &mut Conn, sql: String, args: Args) -> Result<Vec<Scored>> {
    let mut found = Vec::new();
    conn.for_each("searching vectors", sql, args, |row| {
        let c = &mut Cells::new(row);
        if let VectorSubject::Memory(seq) = subjects::decode(c.opt_bytes()?.unwrap_or_default())? {
            found.push(Scored { seq, chunk: chunk(c.int()?)?, cosine: within(c.real()?) });
        }
        Ok(true)
    })
    .await?;
    Ok(found)
}

/// Converts a stored chunk number.
pub(super) fn chunk(stored: i64) -> Result<u16> {
    u16::try_from(stored).map_err(|_| errors::corrupt("a chunk's number is out of bounds"))
}

/// Converts a computed cosine, a float stored in a double.
#[expect(clippy::cast_possible_truncation, reason = "it was a float")]
pub(super) fn within(cosine: f64) -> f32 {
    // A damaged length can cause any value.
    if cosine.is_nan() { -1.0 } else { (cosine as f32).clamp(-1.0, 1.0) }
}

/// Returns each memory once with its best chunk, nearest first; ties are ordered by number, so that results are
/// deterministic.
fn memories(mut scored: Vec<Scored>, limit: usize) -> Vec<VectorHit> {
    scored.sort_unstable_by(|a, b| b.cosine.total_cmp(&a.cosine).then((a.seq, a.chunk).cmp(&(b.seq, b.chunk))));
    let mut seen = HashSet::with_capacity(scored.len().min(limit));
    let each_once = scored.into_iter().filter(|one| seen.insert(one.seq));
    each_once.map(|Scored { seq, chunk, cosine }| VectorHit { seq, chunk, cosine }).take(limit).collect()
}
