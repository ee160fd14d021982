//! What the vault knows: words, stems, speakers.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::filter::{json, push_conditions};
use crate::sqlite::fts::quoted;
use crate::sqlite::rows::Cells;

const KNOWN: &str = "SELECT group_concat(EXISTS (SELECT 1 FROM search WHERE search MATCH e.value), '') \
     FROM (SELECT value FROM json_each(?) ORDER BY key) e";
const VOCABULARY: &str = "SELECT group_concat(v.term || ' ' || v.doc, char(10)) \
     FROM json_each(?) e CROSS JOIN search_words v ON v.term >= e.value ->> 0 AND v.term <= e.value ->> 1 \
     WHERE length(v.term) BETWEEN ? AND ?";
const SPEAKERS: &str = "SELECT no, name FROM speakers ORDER BY latest DESC, no DESC LIMIT 256";

pub(super) async fn known(conn: &mut Conn, words: &[String], among: Option<&MemoryFilter>) -> Result<Vec<bool>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    conn.settle_index().await?;
    let phrases: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    let (sql, args) = match among {
        Some(filter) => known_among(filter),
        None => (KNOWN.to_owned(), Args::new()),
    };
    let args = args.with(json(&phrases));
    let found = conn.row("looking words up", sql, args, |row| Cells::new(row).text()).await?.unwrap_or_default();
    if found.len() != words.len() {
        return Err(errors::corrupt("words were looked up and not all answered"));
    }
    Ok(found.bytes().map(|known| known == b'1').collect())
}

/// The same question, and what stands before the words among its values. It ends with the first memory that passes.
fn known_among(filter: &MemoryFilter) -> (String, Args) {
    let mut args = Args::new();
    let mut sql = String::from(
        "SELECT group_concat(EXISTS (SELECT 1 FROM search CROSS JOIN memories m ON m.seq = search.rowid \
         WHERE search MATCH e.value",
    );
    push_conditions(&mut sql, &mut args, filter);
    sql.push_str("), '') FROM (SELECT value FROM json_each(?) ORDER BY key) e");
    (sql, args)
}

pub(super) async fn vocabulary(
    conn: &mut Conn,
    first_letters: &[char],
    min_len: usize,
    max_len: usize,
) -> Result<Vec<(String, u64)>> {
    conn.settle_index().await?;
    let mut letters = first_letters.to_vec();
    letters.sort_unstable();
    letters.dedup();
    letters.retain(|letter| *letter != '\0');
    let ranges: Vec<_> = letters.iter().map(|letter| [letter.to_string(), format!("{letter}{}", char::MAX)]).collect();
    let args = Args::new()
        .with(serde_json::to_string(&ranges).unwrap_or_default())
        .with(super::limit(min_len))
        .with(super::limit(max_len));
    let packed = conn.row("reading the vocabulary", VOCABULARY, args, |row| Cells::new(row).opt_text()).await?;
    let bad = || errors::corrupt("the vocabulary is not readable");
    packed
        .flatten()
        .unwrap_or_default()
        .lines()
        .map(|line| {
            let (term, count) = line.rsplit_once(' ').ok_or_else(bad)?;
            Ok((term.to_owned(), count.parse().map_err(|_| bad())?))
        })
        .collect()
}

pub(super) async fn speakers(conn: &mut Conn) -> Result<Vec<(i64, String)>> {
    conn.rows("reading speakers", SPEAKERS, Args::new(), |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.text()?))
    })
    .await
}
