//! Looks up what the vault knows: words, stems, speakers.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::{Access, sealed};
use crate::sealed::{Seals, may_pass};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::{json, push_conditions};
use crate::sqlite::fts::quoted;
use crate::sqlite::rows::{Cells, ReadRow as _};

/// For each phrase of a JSON array whether the index contains it.
const KNOWN: &str =
    "SELECT EXISTS (SELECT 1 FROM search WHERE search MATCH e.value) FROM json_each(?) e ORDER BY e.key";
const VOCABULARY: &str = "SELECT v.term, v.doc \
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
    let mut known = access.conn.rows("looking up words", sql, args, |row| Cells::new(row).flag()).await?;
    if known.contains(&false) && among.is_none_or(may_pass) && sealed::any(access.conn).await? {
        sealed::add_known(access, (words, &mut known), among).await?;
    }
    Ok(known)
}

/// Quotes words as phrases of the index.
fn phrases(words: &[String]) -> String {
    json(&words.iter().map(|word| quoted(word)).collect::<Vec<_>>())
}

/// The same query for memories that pass a filter, with the arguments that precede the words. Stops at the first memory
/// that passes.
fn known_among(filter: &MemoryFilter, seals: Option<&Seals>) -> (String, Args) {
    let mut args = Args::new();
    let mut sql = String::from(
        "SELECT EXISTS (SELECT 1 FROM search CROSS JOIN memories m ON m.seq = search.rowid \
         WHERE search MATCH e.value",
    );
    push_conditions(&mut sql, &mut args, filter, seals);
    sql.push_str(") FROM json_each(?) e ORDER BY e.key");
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
    let vocabulary = access.conn.rows("reading the vocabulary", VOCABULARY, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.text()?, c.count()?))
    });
    let mut vocabulary = vocabulary.await?;
    if sealed::any(access.conn).await? {
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
