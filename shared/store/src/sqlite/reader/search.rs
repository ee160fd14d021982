//! Runs the first query of every recall: which words are known and, if all are, their hits. One statement if the cached
//! columns fit.

use std::sync::LazyLock;

use kimberly_core::error::Result;
use kimberly_core::ports::{KnownAndFound, LexicalQuery, known_then_found};

use super::cached_columns::{self, STAMP};
use super::lexical::{cache_for, packed_matches, passing};
use super::words::{KNOWN, of_known, phrases};
use super::{Access, sealed};
use crate::lexical::best;
use crate::sealed::may_pass;
use crate::sqlite::conn::Args;
use crate::sqlite::rows::Cells;
use crate::sqlite::{fts, packed};

static SEARCH: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH k (known) AS MATERIALIZED ({KNOWN}) SELECT {STAMP}, {}, known, CASE WHEN instr(known, '0') = 0 THEN ({}) END FROM k",
        sealed::ANY,
        packed_matches()
    )
});

pub(super) async fn known_and_found<M: Send + Sync>(
    access: &mut Access<'_, M>,
    words: &[String],
    query: &LexicalQuery,
    limit: usize,
) -> Result<KnownAndFound> {
    match at_once(access, words, query, limit).await? {
        Some(answer) => Ok(answer),
        None => known_then_found(access, words, query, limit).await,
    }
}

/// Uses one statement; `None` if that is not possible.
async fn at_once<M>(
    access: &mut Access<'_, M>,
    words: &[String],
    query: &LexicalQuery,
    limit: usize,
) -> Result<Option<KnownAndFound>> {
    let Some(cache) = cache_for(access, &query.filter).filter(|_| !words.is_empty()) else { return Ok(None) };
    let Some(expression) = fts::expression(query) else { return Ok(None) };
    let args = Args::new().with(phrases(words)).with(expression);
    let answer = access
        .conn
        .row("searching", SEARCH.as_str(), args, |row| {
            let c = &mut Cells::new(row);
            let (stamp, any_sealed, known) = (cached_columns::stamp(c)?, c.flag()?, c.opt_text()?);
            // NULL means no match.
            Ok((stamp, any_sealed, known, packed::scored(c.opt_str()?.unwrap_or_default())?))
        })
        .await?;
    let Some((stamp, any_sealed, known, found)) = answer else { return Ok(None) };
    let mut known = of_known(words, &known.unwrap_or_default())?;
    if known.contains(&false) {
        if any_sealed {
            sealed::add_known(access, (words, &mut known), None).await?;
        }
        // Some of these words were unknown when the statement ran, so nothing was searched yet.
        let all = !known.contains(&false);
        let found = if all { Some(super::lexical::lexical(access, query, limit).await?) } else { None };
        return Ok(Some((known, found)));
    }
    let Some(mut hits) = passing(access, (cache, stamp), &found, &query.filter).await? else { return Ok(None) };
    if any_sealed && may_pass(&query.filter) {
        sealed::add(access, query, &mut hits).await?;
    }
    Ok(Some((known, Some(best(hits, limit)))))
}
