//! What the vault knows: words, stems, speakers.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;

use super::{Access, lexical};
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::filter::push_conditions;
use crate::postgres::rows::Cells;
use crate::postgres::text::Wanted;

/// The statement inside counts on row-level security for nothing: it names the user as the transaction does.
const VOCABULARY: &str = "SELECT word, ndoc FROM ts_stat('SELECT indexed FROM memories \
     WHERE user_id = current_setting(''kimberly.user_id'') AND indexed IS NOT NULL') \
     WHERE left(word, 1) = ANY($1) AND length(word) BETWEEN $2 AND $3";
const SPEAKERS: &str = "SELECT no, name FROM speakers WHERE user_id = $1 ORDER BY latest DESC, no DESC LIMIT 256";

pub(super) async fn known<M>(
    access: &mut Access<'_, M>,
    words: &[String],
    among: Option<&MemoryFilter>,
) -> Result<Vec<bool>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let conn = &mut *access.conn;
    let tokens = conn.tokens(words).await?;
    let queries: Vec<Option<String>> = tokens
        .iter()
        .map(|tokens| {
            let wanted = Wanted::new(&[(tokens.clone(), false)], &[]);
            wanted.strict().or_else(|| wanted.loose())
        })
        .collect();
    let mut known = held(conn, queries, among).await?;
    if known.len() != words.len() {
        return Err(errors::corrupt("words were looked up and not all answered"));
    }
    // A word that is several may stand where the index keeps no places.
    for (known, tokens) in known.iter_mut().zip(&tokens).filter(|(known, tokens)| !**known && tokens.len() > 1) {
        *known = lexical::is_held(conn, tokens, among).await?;
    }
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

pub(super) async fn vocabulary(
    conn: &mut Conn,
    first_letters: &[char],
    (min_len, max_len): (usize, usize),
) -> Result<Vec<(String, u64)>> {
    let letters: Vec<String> =
        first_letters.iter().filter(|letter| **letter != '\0').map(ToString::to_string).collect();
    let args =
        crate::postgres::conn::Args::none().with(letters).with(super::limit(min_len)).with(super::limit(max_len));
    conn.rows("reading the vocabulary", VOCABULARY, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.text()?, c.count()?))
    })
    .await
}

pub(super) async fn speakers(conn: &mut Conn) -> Result<Vec<(i64, String)>> {
    let args = conn.args();
    conn.rows("reading speakers", SPEAKERS, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.text()?))
    })
    .await
}
