//! What the vault knows: words, stems, speakers.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::{Access, lexical, sealed, vocabulary};
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::filter::push_conditions;
use crate::postgres::rows::Cells;
use crate::postgres::text::{Wanted, is_whole, lexeme};
use crate::sealed::Tokens;

const SPEAKERS: &str = "SELECT no, name FROM speakers WHERE user_id = $1 ORDER BY latest DESC, no DESC LIMIT 256";

pub(super) async fn known<M>(
    access: &mut Access<'_, M>,
    words: &[String],
    among: Option<&MemoryFilter>,
) -> Result<Vec<bool>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let tokens = access.conn.tokens(words).await?;
    let vocabulary = vocabulary::kept(access);
    // A word that nobody ever wrote costs Postgres most.
    let unheard = |tokens: &Tokens| {
        vocabulary.as_ref().is_some_and(|known| tokens.iter().any(|token| !known.holds(lexeme(token))))
    };
    let query = |tokens: &Tokens| {
        let wanted = Wanted::new(&[(tokens.clone(), false)], &[]);
        if unheard(tokens) { None } else { wanted.strict().or_else(|| wanted.loose()) }
    };
    let queries: Vec<Option<String>> = tokens.iter().map(query).collect();
    let asked: Vec<bool> = queries.iter().map(Option::is_some).collect();
    let mut known = held(access.conn, queries, among).await?;
    if known.len() != words.len() {
        return Err(errors::corrupt("words were looked up and not all answered"));
    }
    for ((known, tokens), asked) in known.iter_mut().zip(&tokens).zip(asked) {
        // A word that is several may stand where the index keeps no places.
        let unsure = if *known { !tokens.iter().all(|token| is_whole(token)) } else { asked && tokens.len() > 1 };
        if unsure {
            *known = lexical::is_held(access.conn, tokens, among).await?;
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

pub(super) async fn speakers(conn: &mut Conn) -> Result<Vec<(i64, String)>> {
    let args = conn.args();
    conn.rows("reading speakers", SPEAKERS, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.text()?))
    })
    .await
}
