//! Searches sealed memories, which no index contains, through their cached words (`crate::sealed`).
//!
//! Matches are filtered in the same place as all others (`seqs`).

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::LexicalHit;

use super::cached_columns::stamp;
use super::{Access, seqs};
use crate::postgres::conn::Conn;
use crate::postgres::filter::push_conditions;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::{HIT_COLUMNS, hit};
use crate::sealed::{Indexed, Lacking, Page, Seals, Snapshot, Tokens, Wanted, Words, may_pass, searched};

/// The memories that the full-text index would contain if they were not sealed.
const PAGE: &str = "SELECT seq, id, sealed_content, sealed_texts FROM memories WHERE user_id = $1 \
     AND sealed_content IS NOT NULL AND state <> 2 AND withheld = 0 AND seq > $2 ORDER BY seq LIMIT 256";

/// Adds matching sealed memories to the hits of the full-text index.
pub(super) async fn add<M>(
    access: &mut Access<'_, M>,
    (wanted, indexed): (&Wanted<'_>, &Indexed),
    filter: &MemoryFilter,
    hits: &mut Vec<LexicalHit>,
) -> Result<()> {
    let Some(words) = words(access, Some(filter)).await? else { return Ok(()) };
    let matches = words.matching(wanted);
    let passing = passing(access, &matches.seqs(), filter).await?;
    if passing.is_empty() {
        return Ok(());
    }
    let bm25 = matches.bm25(&words, indexed);
    let scored = |hit: LexicalHit| LexicalHit { bm25: bm25.get(&hit.seq.0).copied().unwrap_or_default(), ..hit };
    hits.extend(passing.into_iter().map(scored));
    Ok(())
}

/// Marks unknown words as known if a sealed memory contains them.
pub(super) async fn add_known<M>(
    access: &mut Access<'_, M>,
    (asked, known): (&[Tokens], &mut [bool]),
    among: Option<&MemoryFilter>,
) -> Result<()> {
    if !known.contains(&false) {
        return Ok(());
    }
    let Some(words) = words(access, among).await? else { return Ok(()) };
    for (tokens, known) in asked.iter().zip(known).filter(|(_, known)| !**known) {
        let holding = words.holding(tokens);
        *known = match among {
            Some(filter) => !passing(access, &holding, filter).await?.is_empty(),
            None => !holding.is_empty(),
        };
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
    if let Some(words) = words(access, None).await? {
        words.add_to(vocabulary, letters, lengths);
    }
    Ok(())
}

/// Adds sealed memories that contain a text: opens each one that passes the filter, newest first.
pub(super) async fn add_substring(
    conn: &mut Conn,
    text: &str,
    (filter, limit): (&MemoryFilter, usize),
    hits: &mut Vec<LexicalHit>,
) -> Result<()> {
    let Some(seals) = conn.seals.clone().filter(|seals| seals.are_on() && may_pass(filter)) else { return Ok(()) };
    let text = text.to_ascii_lowercase();
    let mut sql = format!(
        "SELECT {HIT_COLUMNS}, m.id, m.sealed_content, m.sealed_texts FROM memories m WHERE m.user_id = $1 AND m.sealed_content IS NOT NULL"
    );
    let mut args = conn.args();
    push_conditions(&mut sql, &mut args, filter, Some(&seals));
    sql.push_str(" ORDER BY m.created_at DESC, m.seq DESC");
    let mut left = limit;
    conn.for_each("searching for a text in sealed memories", sql, args, |row| {
        let c = &mut Cells::new(row);
        let (hit, id) = (hit(c, 0.0)?, MemoryId(c.uuid()?));
        let sealed = (c.opt_bytes()?.unwrap_or_default(), c.opt_bytes()?);
        if left > 0 && searched(Some(&seals), id, sealed)?.to_ascii_lowercase().contains(&text) {
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

/// Returns the words of the snapshot; `None` if nothing is sealed, or the filter excludes sealed memories.
async fn words<M>(access: &mut Access<'_, M>, filter: Option<&MemoryFilter>) -> Result<Option<Arc<Words>>> {
    let asked = filter.is_none_or(may_pass);
    let Some(seals) = access.conn.seals.clone().filter(|seals| asked && seals.are_on()) else { return Ok(None) };
    let mut lacking = match seals.words_at(stamp(access.conn)?, access.caches.is_some()) {
        Snapshot::Known(words) => return Ok(Some(words)),
        Snapshot::Lacking(lacking) => lacking,
    };
    while load(access.conn, &seals, &mut lacking).await? {}
    Ok(Some(lacking.whole(&seals)))
}

/// Loads the next page of memories; returns `false` at the end.
async fn load(conn: &mut Conn, seals: &Seals, lacking: &mut Lacking) -> Result<bool> {
    let (mut page, args) = (Page::default(), conn.args().with(lacking.last()));
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
