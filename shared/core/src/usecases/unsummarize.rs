//! Erases the summaries that compacting made of records which are erased, put aside or changed, what merging made of them, and what
//! nights concluded from them: no word of those may outlive them there. The other turns of such a summary count as not compacted
//! again, and go into the next one; the other sources of a merged record hold again.

use std::collections::BTreeSet;

use super::cascade::Following;
use super::compact_session::made;
use super::insights::{concluded_from, mark_written_over};
use super::merge::merges;
use crate::audit::Actor;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link};
use crate::memory::{Memory, MemoryDraft};
use crate::ports::{VaultReader, VaultTransaction};
use crate::tables::find;
use crate::time::Timestamp;

/// What was made of records, withheld or not, without those among the records: summaries by compacting, what was merged, and
/// conclusions by nights.
pub(super) async fn summaries_of(reader: &mut dyn VaultReader, ids: &[MemoryId]) -> Result<BTreeSet<MemoryId>> {
    let of = || Link::of(ids.iter().copied(), Direction::In);
    let mut links = find::<Link>(reader, &made(of()).with_doomed()).await?;
    links.extend(find::<Link>(reader, &merges(of()).with_doomed()).await?);
    let mut all: BTreeSet<MemoryId> = links.into_iter().map(|link| link.from).collect();
    all.extend(concluded_from(reader, ids).await?);
    all.retain(|id| !ids.contains(id));
    Ok(all)
}

/// Erases what was made of a record that stays, unless a person wrote over it, and marks that and what rests on the rest as stale.
/// Whether the record holds again, as one was merged of it.
pub(super) async fn unsummarize(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<bool> {
    let mut summaries = summaries_of(tx.as_reader(), &[id]).await?;
    if !summaries.is_empty() {
        mark_written_over(tx, &mut summaries, now).await?;
    }
    if summaries.is_empty() {
        return Ok(false);
    }
    let ended = tx.memory(id).await?.and_then(|memory| memory.draft.valid_to);
    let following = Following::of_summaries(tx.as_reader(), summaries).await?;
    let along = following.take_along(tx, (now, Actor::Caller)).await?;
    tx.erase_memories(&along.seqs, now).await?;
    Ok(ended.is_some() && tx.memory(id).await?.is_some_and(|memory| memory.draft.valid_to.is_none()))
}

/// Whether a change touches what a summary took from a record or inherited from it.
pub(super) fn is_other(before: &Memory, after: &MemoryDraft) -> bool {
    let of = |draft: &MemoryDraft| {
        let place = (draft.namespace.clone(), draft.session_id.clone());
        (draft.content.clone(), draft.speaker.clone(), draft.metadata.sensitive, draft.consent_id, place)
    };
    of(&before.draft) != of(after)
}
