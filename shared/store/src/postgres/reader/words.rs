//! Looks up which words the vault knows.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::postings::postings;
use super::{Access, lexical, sealed, vocabulary};
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::filter::push_conditions;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::text::{Wanted, is_whole, lexeme};
use crate::sealed::Tokens;

/// The number of words in a scan is padded to a multiple of this, so that there are few statements.
const AT_ONCE: usize = 8;

pub(super) async fn known<M>(
    access: &mut Access<'_, M>,
    words: &[String],
    among: Option<&MemoryFilter>,
) -> Result<Vec<bool>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let tokens = access.tokens(words).await?;
    let (postings, vocabulary) = (postings(access).await?, vocabulary::cached(access)?);
    // Whether a word was ever written, as far as caches tell. An unknown word is the most expensive one for Postgres.
    let is_written = |token: &String| match (&postings, &vocabulary) {
        (Some(postings), _) => postings.holds(lexeme(token)),
        (None, Some(vocabulary)) => vocabulary.holds(lexeme(token)),
        (None, None) => true,
    };
    let query = |tokens: &Tokens| {
        let wanted = Wanted::new(&[(tokens.clone(), false)], &[]);
        let may_be_held = !tokens.is_empty() && tokens.iter().all(is_written);
        if may_be_held { wanted.strict().or_else(|| wanted.loose()) } else { None }
    };
    let queries: Vec<Option<String>> = tokens.iter().map(query).collect();
    let asked: Vec<bool> = queries.iter().map(Option::is_some).collect();
    // With the full text and without a filter, a word that was written is known.
    let is_all = postings.is_some() && among.is_none();
    let mut known = if is_all { asked.clone() } else { held(access.conn, queries, among).await? };
    for ((known, tokens), asked) in known.iter_mut().zip(&tokens).zip(asked) {
        // A word of several tokens may have them apart, or in a memory whose positions are incomplete.
        let is_several = asked && tokens.len() > 1 && (is_all || !*known);
        if is_several || (*known && !tokens.iter().all(|token| is_whole(token))) {
            *known = lexical::is_held(access, tokens, among).await?;
        }
    }
    sealed::add_known(access, (&tokens, &mut known), among).await?;
    Ok(known)
}

/// Returns for each query whether a memory that passes matches.
async fn held(conn: &mut Conn, queries: Vec<Option<String>>, among: Option<&MemoryFilter>) -> Result<Vec<bool>> {
    let mut known = vec![false; queries.len()];
    let (indexes, mut asked): (Vec<usize>, Vec<Option<String>>) =
        queries.into_iter().enumerate().filter(|(_, query)| query.is_some()).unzip();
    if asked.is_empty() {
        return Ok(known);
    }
    let looks_through = conn.looks_through();
    if looks_through {
        asked.resize(asked.len().next_multiple_of(AT_ONCE), None);
    }
    let count = asked.len();
    let mut args = conn.args().with(asked);
    let mut passes = String::new();
    if let Some(filter) = among {
        push_conditions(&mut passes, &mut args, filter, conn.seals.as_deref());
    }
    let sql = if looks_through { in_rows(count, &passes) } else { in_index(&passes) };
    let found = conn.rows("looking up words", sql, args, |row| Cells::new(row).flag()).await?;
    if found.len() < indexes.len() {
        return Err(errors::corrupt("some words were not looked up"));
    }
    for (index, found) in indexes.into_iter().zip(found) {
        known[index] = found;
    }
    Ok(known)
}

/// SQL that looks up each query in the index of words.
fn in_index(passes: &str) -> String {
    format!(
        "SELECT EXISTS (SELECT 1 FROM searched m WHERE m.user_id = $1 AND m.indexed @@ e.query::tsquery{passes}) \
         FROM unnest($2::text[]) WITH ORDINALITY e (query, place) ORDER BY e.place"
    )
}

/// SQL that evaluates all queries in one scan. The subselect lets Postgres parse a query once instead of per row.
fn in_rows(count: usize, passes: &str) -> String {
    let any = |n| format!("coalesce(bool_or(m.indexed @@ (SELECT ($2::text[])[{n}]::tsquery)), false)");
    let all: Vec<String> = (1..=count).map(any).collect();
    format!(
        "SELECT w.known FROM (SELECT ARRAY[{}] AS known FROM searched m WHERE m.user_id = $1{passes}) a, \
         unnest(a.known) WITH ORDINALITY w (known, place) ORDER BY w.place",
        all.join(", ")
    )
}
