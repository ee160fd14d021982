//! Looks up what the vault knows: words, stems, speakers.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use rusqlite::Row;

use super::lexical::with_any_sealed;
use super::{Access, sealed};
use crate::sealed::{Seals, may_pass};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::filter::{json, push_conditions};
use crate::sqlite::fts::quoted;
use crate::sqlite::rows::Cells;

/// Returns one digit per phrase of a JSON array: whether the index contains it.
pub(super) const KNOWN: &str = "SELECT group_concat(EXISTS (SELECT 1 FROM search WHERE search MATCH e.value), '') \
     FROM (SELECT value FROM json_each(?) ORDER BY key) e";
const VOCABULARY: &str = "group_concat(v.term || ' ' || v.doc, char(10)) \
     FROM json_each(?) e CROSS JOIN search_words v ON v.term >= e.value ->> 0 AND v.term <= e.value ->> 1 \
     WHERE length(v.term) BETWEEN ? AND ?";
const SPEAKERS: &str = "SELECT no, name FROM speakers ORDER BY latest DESC, no DESC LIMIT 256";

pub(super) async fn known<M>(
    access: &mut Access<'_, M>,
    words: &[String],
    among: Option<&MemoryFilter>,
) -> Result<Vec<bool>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    access.conn.settle_index().await?;
    let (sql, args) = match among {
        Some(filter) => known_among(filter, access.conn.seals.as_deref()),
        None => (KNOWN.to_owned(), Args::new()),
    };
    let args = args.with(phrases(words));
    let sql = format!("SELECT ({sql}), {}", sealed::ANY);
    let found = access.conn.row("looking words up", sql, args, with_any_sealed).await?.unwrap_or_default();
    let (mut known, any_sealed) = (of_known(words, &found.0.unwrap_or_default())?, found.1);
    if any_sealed && known.contains(&false) && among.is_none_or(may_pass) {
        sealed::add_known(access, (words, &mut known), among).await?;
    }
    Ok(known)
}

/// Quotes words as phrases of the index.
pub(super) fn phrases(words: &[String]) -> String {
    json(&words.iter().map(|word| quoted(word)).collect::<Vec<_>>())
}

/// Parses the answer of [`KNOWN`].
pub(super) fn of_known(words: &[String], answer: &str) -> Result<Vec<bool>> {
    if answer.len() != words.len() {
        return Err(errors::corrupt("words were looked up and not all answered"));
    }
    Ok(answer.bytes().map(|known| known == b'1').collect())
}

/// The same query for memories that pass a filter, with the arguments that precede the words. Stops at the first memory
/// that passes.
fn known_among(filter: &MemoryFilter, seals: Option<&Seals>) -> (String, Args) {
    let mut args = Args::new();
    let mut sql = String::from(
        "SELECT group_concat(EXISTS (SELECT 1 FROM search CROSS JOIN memories m ON m.seq = search.rowid \
         WHERE search MATCH e.value",
    );
    push_conditions(&mut sql, &mut args, filter, seals);
    sql.push_str("), '') FROM (SELECT value FROM json_each(?) ORDER BY key) e");
    (sql, args)
}

pub(super) async fn vocabulary<M>(
    access: &mut Access<'_, M>,
    first_letters: &[char],
    (min_len, max_len): (usize, usize),
) -> Result<Vec<(String, u64)>> {
    access.conn.settle_index().await?;
    let mut letters = first_letters.to_vec();
    letters.sort_unstable();
    letters.dedup();
    letters.retain(|letter| *letter != '\0');
    let ranges: Vec<_> = letters.iter().map(|letter| [letter.to_string(), format!("{letter}{}", char::MAX)]).collect();
    let args = Args::new()
        .with(serde_json::to_string(&ranges).unwrap_or_default())
        .with(super::limit(min_len))
        .with(super::limit(max_len));
    let sql = format!("SELECT {}, {VOCABULARY}", sealed::ANY);
    let read = |row: &Row<'_>| {
        let c = &mut Cells::new(row);
        Ok((c.flag()?, c.opt_text()?))
    };
    let (any_sealed, packed) = access.conn.row("reading the vocabulary", sql, args, read).await?.unwrap_or_default();
    let bad = || errors::corrupt("the vocabulary is not readable");
    let read = |line: &str| {
        let (term, count) = line.rsplit_once(' ').ok_or_else(bad)?;
        Ok((term.to_owned(), count.parse().map_err(|_| bad())?))
    };
    let mut vocabulary = packed.unwrap_or_default().lines().map(read).collect::<Result<Vec<_>>>()?;
    if any_sealed {
        sealed::add_vocabulary(access, &letters, (min_len, max_len), &mut vocabulary).await?;
    }
    Ok(vocabulary)
}

pub(super) async fn speakers(conn: &mut Conn) -> Result<Vec<(i64, String)>> {
    conn.rows("reading speakers", SPEAKERS, Args::new(), |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.text()?))
    })
    .await
}
