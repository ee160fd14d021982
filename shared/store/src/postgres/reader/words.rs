//! Which words the vault knows.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::postings::postings;
use super::{Access, lexical, sealed, vocabulary};
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::filter::push_conditions;
use crate::postgres::rows::Cells;
use crate::postgres::text::{Wanted, is_whole, lexeme};
use crate::sealed::Tokens;

pub(super) async fn known<M>(
    access: &mut Access<'_, M>,
    words: &[String],
    among: Option<&MemoryFilter>,
) -> Result<Vec<bool>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let tokens = access.tokens(words).await?;
    let (postings, vocabulary) = (postings(access).await?, vocabulary::kept(access)?);
    // What was ever written, as far as it is kept. A word that nobody wrote costs Postgres most.
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
    // What is written somewhere is known, unless it is to be among others.
    let is_all = postings.is_some() && among.is_none();
    let mut known = if is_all { asked.clone() } else { held(access.conn, queries, among).await? };
    if known.len() != words.len() {
        return Err(errors::corrupt("words were looked up and not all answered"));
    }
    for ((known, tokens), asked) in known.iter_mut().zip(&tokens).zip(asked) {
        // A word that is several may stand apart, or where the index keeps no places.
        let is_several = asked && tokens.len() > 1 && (is_all || !*known);
        if is_several || (*known && !tokens.iter().all(|token| is_whole(token))) {
            *known = lexical::is_held(access, tokens, among).await?;
        }
    }
    sealed::add_known(access, (&tokens, &mut known), among).await?;
    Ok(known)
}

/// For each query whether a memory matches that passes.
async fn held(conn: &mut Conn, queries: Vec<Option<String>>, among: Option<&MemoryFilter>) -> Result<Vec<bool>> {
    let mut args = conn.args().with(queries);
    let mut sql =
        String::from("SELECT EXISTS (SELECT 1 FROM searched m WHERE m.user_id = $1 AND m.indexed @@ e.query::tsquery");
    if let Some(filter) = among {
        push_conditions(&mut sql, &mut args, filter);
    }
    sql.push_str(") FROM unnest($2::text[]) WITH ORDINALITY e (query, place) ORDER BY e.place");
    conn.rows("looking words up", sql, args, |row| Cells::new(row).flag()).await
}
