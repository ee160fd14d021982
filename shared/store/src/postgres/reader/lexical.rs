//! Runs the full-text query: Postgres or the cached full text finds candidates; phrases are counted and BM25 is
//! computed here.
//!
//! Three ways find the same candidates (`tests/postgres/same.rs` compares them): the full text cached in memory; for
//! large vaults the index of words, which covers all users; for small ones a scan of the vault's rows, whose cost does
//! not grow with the number of users.

use std::collections::HashMap;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{LexicalHit, LexicalQuery, LexicalTerm};
use sqlx::postgres::PgRow;

use super::Access;
use super::cached_columns::{again, columns_for};
use super::postings::postings;
use super::sealed::add as add_sealed;
use crate::columns::Pass;
use crate::lexical::{Bm25, best, usable_terms};
use crate::postgres::conn::{Args, Conn};
use crate::postgres::filter;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::text::{self, Wanted};
use crate::rows::{HIT_COLUMNS, hit};
use crate::sealed::{self, Indexed, Tokens};
use crate::slots;

/// BM25 is rounded to these units, so that smaller differences are ties, as on the other backend.
const BM25_UNITS: f64 = 1e15;
/// Memories whose content is tokenized at once.
const AT_ONCE: usize = 64;

/// A memory that contains at least one of the phrases.
struct Candidate {
    seq: i64,
    tokens: u64,
    /// Occurrences of each phrase.
    times: Vec<u32>,
    /// Its hit, if it passes the filter and a filter was given.
    hit: Option<LexicalHit>,
}

pub(super) async fn lexical<M>(
    access: &mut Access<'_, M>,
    query: &LexicalQuery,
    limit: usize,
) -> Result<Vec<LexicalHit>> {
    let Some((any, all)) = usable_terms(query) else { return Ok(Vec::new()) };
    let terms: Vec<&LexicalTerm> = any.iter().chain(&all).copied().collect();
    let texts: Vec<_> = terms.iter().map(|term| term.words.join(" ")).collect();
    let tokens = access.tokens(&texts).await?;
    let tokens: Vec<(Tokens, bool)> = tokens.into_iter().zip(terms.iter().map(|term| term.prefix)).collect();
    let (any, all) = tokens.split_at(any.len());
    let (wanted, sought) = (Wanted::new(any, all), sealed::Wanted { any, all });
    again(access)?;
    let columns = columns_for(access, &query.filter).await?;
    let filter = columns.is_none().then_some(&query.filter);
    let candidates = candidates(access, &wanted, filter).await?;
    let indexed = indexed(access.conn, &wanted, &candidates);
    let scored = scored(&indexed, &wanted, &candidates);
    let mut hits: Vec<LexicalHit> = if let Some(columns) = columns {
        columns.hits(&scored, &Pass::new(&query.filter, &columns))
    } else {
        let bm25: HashMap<i64, f64> = scored.into_iter().collect();
        let found = candidates.into_iter().filter_map(|candidate| candidate.hit);
        found.filter_map(|hit| bm25.get(&hit.seq.0).map(|bm25| LexicalHit { bm25: *bm25, ..hit })).collect()
    };
    add_sealed(access, (&sought, &indexed), &query.filter, &mut hits).await?;
    Ok(best(hits, limit))
}

/// Returns the index's counts for the query.
fn indexed(conn: &Conn, wanted: &Wanted, candidates: &[Candidate]) -> Indexed {
    let (rows, tokens) = conn.head.both(slots::INDEXED);
    let mut holding = vec![0; wanted.len()];
    for candidate in candidates {
        for (holding, _) in holding.iter_mut().zip(&candidate.times).filter(|(_, times)| **times > 0) {
            *holding += 1;
        }
    }
    Indexed { rows, tokens, holding }
}

/// Returns the numbers of matching memories with their BM25.
fn scored(indexed: &Indexed, wanted: &Wanted, candidates: &[Candidate]) -> Vec<(i64, f64)> {
    let bm25 = Bm25::new(indexed.rows, indexed.tokens);
    let rarities: Vec<f64> = indexed.holding.iter().map(|holding| bm25.rarity(*holding)).collect();
    let score = |found: &Candidate| (found.seq, in_units(bm25.score(found.tokens, &found.times, &rarities)));
    candidates.iter().filter(|found| wanted.lets(&found.times)).map(score).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "BM25 is far below 2^63 units; more becomes the largest number")]
#[expect(clippy::cast_precision_loss, reason = "BM25 needs no more digits")]
fn in_units(bm25: f64) -> f64 {
    (bm25 * BM25_UNITS) as i64 as f64 / BM25_UNITS
}

/// Returns the memories that contain any of the phrases, whether or not they pass the filter, because BM25 depends on
/// their number.
async fn candidates<M>(
    access: &mut Access<'_, M>,
    wanted: &Wanted,
    filter: Option<&MemoryFilter>,
) -> Result<Vec<Candidate>> {
    let postings = if filter.is_none() { postings(access).await? } else { None };
    let (mut found, mut unclear) = (Vec::new(), Vec::new());
    let mut add = |seq, tokens, times: Option<_>, hit| {
        if times.is_none() {
            unclear.push((seq, found.len()));
        }
        found.push(Candidate { seq, tokens, times: times.unwrap_or_default(), hit });
    };
    if let Some(postings) = postings {
        postings.holding(wanted).into_iter().for_each(|held| add(held.seq, held.tokens, held.times, None));
    } else if let Some(loose) = wanted.loose() {
        let mut args = access.conn.args().with(loose);
        let sql = statement(access.conn, &mut args, wanted, filter);
        let take = |row: &PgRow| {
            let c = &mut Cells::new(row);
            let (seq, tokens) = (c.int()?, c.count()?);
            let times = wanted.times(c.opt_bytes()?.unwrap_or_default())?;
            add(seq, tokens, times, if filter.is_some() && c.flag()? { Some(hit(c, 0.0)?) } else { None });
            Ok(true)
        };
        access.conn.for_each("searching", sql, args, take).await?;
    }
    for unclear in unclear.chunks(AT_ONCE) {
        clear_up(access.conn, wanted, unclear, &mut found).await?;
    }
    Ok(found)
}

/// SQL condition that a memory matches the query in a parameter. For a scan, `IS TRUE` keeps Postgres from using the
/// index, and the subselect lets it parse the query once instead of per row.
fn matches(conn: &Conn, parameter: usize) -> String {
    if conn.looks_through() {
        format!("(m.indexed @@ (SELECT ${parameter}::tsquery)) IS TRUE")
    } else {
        format!("m.indexed @@ ${parameter}::tsquery")
    }
}

fn statement(conn: &Conn, args: &mut Args, wanted: &Wanted, filter: Option<&MemoryFilter>) -> String {
    let more = filter.map_or_else(String::new, |filter| {
        let mut conditions = String::from("true");
        filter::push_conditions(&mut conditions, args, filter, conn.seals.as_deref());
        format!(", coalesce({conditions}, false), {HIT_COLUMNS}")
    });
    let together = wanted.strict().map_or_else(String::new, |strict| {
        let strict = args.push(strict);
        format!(" AND (m.tokens > {} OR {})", text::SURELY_WHOLE, matches(conn, strict))
    });
    format!(
        "SELECT m.seq, m.tokens, m.indexed{more} FROM searched m \
         WHERE m.user_id = $1 AND {}{together}",
        matches(conn, 2)
    )
}

/// Counts phrases in the contents of memories whose positions in the index are incomplete.
async fn clear_up(conn: &mut Conn, wanted: &Wanted, unclear: &[(i64, usize)], found: &mut [Candidate]) -> Result<()> {
    let seqs: Vec<i64> = unclear.iter().map(|(seq, _)| *seq).collect();
    let sql = "SELECT seq, content || coalesce(chr(10) || texts, '') \
         FROM memories WHERE user_id = $1 AND seq = ANY($2)";
    let args = conn.args().with(seqs);
    let contents = conn
        .rows("reading long contents", sql, args, |row| {
            let c = &mut Cells::new(row);
            Ok((c.int()?, c.text()?))
        })
        .await?;
    let (seqs, texts): (Vec<i64>, Vec<String>) = contents.into_iter().unzip();
    let tokens: HashMap<i64, Tokens> = seqs.into_iter().zip(conn.tokens(&texts).await?).collect();
    for (seq, index) in unclear {
        if let (Some(tokens), Some(candidate)) = (tokens.get(seq), found.get_mut(*index)) {
            candidate.times = wanted.times_in(tokens);
        }
    }
    Ok(())
}

/// Reports whether a memory that passes a filter contains a phrase, reading contents where necessary.
pub(super) async fn is_held<M>(
    access: &mut Access<'_, M>,
    phrase: &Tokens,
    among: Option<&MemoryFilter>,
) -> Result<bool> {
    let wanted = Wanted::new(&[(phrase.clone(), false)], &[]);
    let passes = |candidate: &Candidate| among.is_none() || candidate.hit.is_some();
    let found = candidates(access, &wanted, among).await?;
    Ok(found.iter().any(|candidate| wanted.lets(&candidate.times) && passes(candidate)))
}
