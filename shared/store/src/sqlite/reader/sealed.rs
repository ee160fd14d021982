//! Searches sealed memories, which no index contains, through the words cached while the vault is open.
//!
//! Matches are filtered in the same place as all others (`seqs`).

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{LexicalHit, LexicalQuery, LexicalTerm};

use super::cached_columns;
use super::{Access, seqs};
use crate::lexical::usable_terms;
use crate::rows::{HIT_COLUMNS, hit};
use crate::sealed::{Indexed, Lacking, Page, Seals, Snapshot, Tokens, Wanted, Words, searched};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::{json, push_conditions};
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::{errors, fts};

/// Reports whether anything is sealed; the partial index makes this cheap.
pub(super) const ANY: &str = "EXISTS (SELECT 1 FROM memories WHERE sealed_content IS NOT NULL)";

/// Reports whether anything is sealed.
pub(super) async fn any(conn: &mut Conn) -> Result<bool> {
    let sql = format!("SELECT {ANY}");
    let any = conn.row("looking for sealed memories", sql, Args::new(), |row| Cells::new(row).flag()).await?;
    Ok(any.unwrap_or_default())
}

/// The memories that the full-text index would contain if they were not sealed.
const PAGE: &str = "SELECT seq, id, sealed_content, sealed_texts FROM memories \
     WHERE sealed_content IS NOT NULL AND state <> 2 AND withheld = 0 AND seq > ? ORDER BY seq LIMIT 256";
/// FTS5 stores its numbers of rows and tokens in this record.
const INDEXED: &str = "SELECT (SELECT block FROM search_data WHERE id = 1), group_concat(held, ';') FROM \
     (SELECT (SELECT count(*) FROM search WHERE search MATCH e.value) AS held FROM json_each(?) e ORDER BY e.key)";

/// Adds matching sealed memories to the hits of the full-text index.
pub(super) async fn add<M>(access: &mut Access<'_, M>, query: &LexicalQuery, hits: &mut Vec<LexicalHit>) -> Result<()> {
    let (seals, words) = words(access).await?;
    let Some((any, all)) = usable_terms(query) else { return Ok(()) };
    let terms: Vec<&LexicalTerm> = any.iter().chain(&all).copied().collect();
    let texts: Vec<_> = terms.iter().map(|term| term.words.join(" ")).collect();
    let tokens = seals.analyser.tokens(&texts).await?;
    let tokens: Vec<(Tokens, bool)> = tokens.into_iter().zip(terms.iter().map(|term| term.prefix)).collect();
    let (any, all) = tokens.split_at(any.len());
    let matches = words.matching(&Wanted { any, all });
    let passing = passing(access, &matches.seqs(), &query.filter).await?;
    if passing.is_empty() {
        return Ok(());
    }
    let indexed = indexed(access.conn, &terms).await?;
    let bm25 = matches.bm25(&words, &indexed);
    let scored = |hit: LexicalHit| LexicalHit { bm25: bm25.get(&hit.seq.0).copied().unwrap_or_default(), ..hit };
    hits.extend(passing.into_iter().map(scored));
    Ok(())
}

/// Marks unknown words as known if a sealed memory contains them.
pub(super) async fn add_known<M>(
    access: &mut Access<'_, M>,
    (asked, known): (&[String], &mut [bool]),
    among: Option<&MemoryFilter>,
) -> Result<()> {
    let (seals, words) = words(access).await?;
    let unknown: Vec<String> =
        asked.iter().zip(&*known).filter(|(_, known)| !**known).map(|(word, _)| word.clone()).collect();
    let tokens = seals.analyser.tokens(&unknown).await?;
    let mut found = Vec::with_capacity(tokens.len());
    for tokens in &tokens {
        let holding = words.holding(tokens);
        found.push(match among {
            Some(filter) => !passing(access, &holding, filter).await?.is_empty(),
            None => !holding.is_empty(),
        });
    }
    for (known, found) in known.iter_mut().filter(|known| !**known).zip(found) {
        *known = found;
    }
    Ok(())
}

/// Adds the words of sealed memories to a vocabulary.
pub(super) async fn add_vocabulary<M>(
    access: &mut Access<'_, M>,
    letters: &[char],
    lengths: (usize, usize),
    vocabulary: &mut Vec<(String, u64)>,
) -> Result<()> {
    let (_, words) = words(access).await?;
    words.add_to(vocabulary, letters, lengths);
    Ok(())
}

/// Adds sealed memories that contain a text: opens each one that passes the filter, newest first.
pub(super) async fn add_substring(
    conn: &mut Conn,
    text: &str,
    (filter, limit): (&MemoryFilter, usize),
    hits: &mut Vec<LexicalHit>,
) -> Result<()> {
    let (seals, text) = (conn.seals.clone(), text.to_ascii_lowercase());
    let mut sql = format!(
        "SELECT {HIT_COLUMNS}, m.id, m.sealed_content, m.sealed_texts FROM memories m WHERE m.sealed_content IS NOT NULL"
    );
    let mut args = Args::new();
    push_conditions(&mut sql, &mut args, filter, seals.as_deref());
    sql.push_str(" ORDER BY m.created_at DESC, m.seq DESC");
    let mut left = limit;
    conn.for_each("searching for a text in sealed memories", sql, args, |row| {
        let c = &mut Cells::new(row);
        let (hit, id) = (hit(c, 0.0)?, MemoryId(c.uuid()?));
        let sealed = (c.opt_bytes()?.unwrap_or_default(), c.opt_bytes()?);
        if left > 0 && searched(seals.as_deref(), id, sealed)?.to_ascii_lowercase().contains(&text) {
            hits.push(hit);
            left -= 1;
        }
        Ok(left > 0)
    })
    .await?;
    Ok(())
}

async fn passing<M>(access: &mut Access<'_, M>, found: &[i64], filter: &MemoryFilter) -> Result<Vec<LexicalHit>> {
    let found: Vec<Seq> = found.iter().copied().map(Seq).collect();
    seqs::at_seqs(access, &found, filter).await
}

/// Returns the words of the snapshot.
async fn words<M>(access: &mut Access<'_, M>) -> Result<(Arc<Seals>, Arc<Words>)> {
    let nothing = || errors::corrupt("a memory is sealed where nothing is ever sealed");
    let seals = access.conn.seals.clone().ok_or_else(nothing)?;
    let stamp = cached_columns::stamp_now(access.conn).await?;
    let mut lacking = match seals.words_at(stamp, access.columns.is_some()) {
        Snapshot::Known(words) => return Ok((seals, words)),
        Snapshot::Lacking(lacking) => lacking,
    };
    while load(access.conn, &seals, &mut lacking).await? {}
    let words = lacking.whole(&seals);
    Ok((seals, words))
}

/// Loads the next page of memories; returns `false` at the end.
async fn load(conn: &mut Conn, seals: &Seals, lacking: &mut Lacking) -> Result<bool> {
    let (mut page, args) = (Page::default(), Args::new().with(lacking.last()));
    conn.for_each("reading sealed memories", PAGE, args, |row| {
        let c = &mut Cells::new(row);
        let of = (c.int()?, MemoryId(c.uuid()?));
        let sealed = (c.opt_bytes()?.unwrap_or_default(), c.opt_bytes()?);
        lacking.read(&mut page, seals, of, sealed)?;
        Ok(true)
    })
    .await?;
    lacking.take(page, seals).await
}

/// Returns the full-text index's counts for these terms. In a transaction, memories it has just added do not count.
async fn indexed(conn: &mut Conn, terms: &[&LexicalTerm]) -> Result<Indexed> {
    let phrases: Vec<String> = terms.iter().filter_map(|term| fts::phrase(term)).collect();
    let found = conn
        .row("counting words", INDEXED, Args::new().with(json(&phrases)), |row| {
            let c = &mut Cells::new(row);
            Ok((c.opt_bytes()?.map(<[u8]>::to_vec), c.opt_text()?))
        })
        .await?;
    let Some((Some(totals), Some(held))) = found else { return Ok(Indexed::default()) };
    let (rows, rest) = varint(&totals);
    let holding = held.split(';').map(|held| held.parse().unwrap_or_default()).collect();
    Ok(Indexed { rows, tokens: varint(rest).0, holding })
}

/// Decodes SQLite's varint, up to eight bytes, and returns the remaining bytes.
fn varint(bytes: &[u8]) -> (u64, &[u8]) {
    let mut value = 0_u64;
    for (read, byte) in bytes.iter().enumerate().take(9) {
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return (value, bytes.get(read + 1..).unwrap_or_default());
        }
    }
    (0, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sqlite_are_read_and_what_is_cut_counts_nothing() {
        assert_eq!(varint(&[5, 7]), (5, [7].as_slice()));
        assert_eq!(varint(&[0x81, 0x00, 9]), (128, [9].as_slice()));
        assert_eq!(varint(&[0xff, 0x7f]), (16_383, [].as_slice()));
        assert_eq!((varint(&[0x81]), varint(&[])), ((0, [].as_slice()), (0, [].as_slice())));
    }
}
