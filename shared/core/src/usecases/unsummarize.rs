//! Erases the summaries that compacting made of records which are erased, put aside or changed: no word of those may outlive them
//! there. The other turns of such a summary count as not compacted again, and go into the next one.

use std::collections::BTreeSet;

use super::compact_session::made;
use super::support::entry;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::links::{Direction, Link};
use crate::memory::{Memory, MemoryDraft};
use crate::ports::VaultTransaction;
use crate::tables::find;
use crate::time::Timestamp;

/// Erases what was made of these; returns the numbers of what is gone.
pub(super) async fn unsummarize(tx: &mut dyn VaultTransaction, ids: &[MemoryId], now: Timestamp) -> Result<Vec<Seq>> {
    let links = find::<Link>(tx.as_reader(), &made(Link::of(ids.iter().copied(), Direction::In))).await?;
    let summaries: BTreeSet<MemoryId> = links.into_iter().map(|link| link.from).collect();
    let summaries: Vec<MemoryId> = summaries.into_iter().filter(|id| !ids.contains(id)).collect();
    if summaries.is_empty() {
        return Ok(Vec::new());
    }
    let found = tx.seqs(&summaries).await?;
    let seqs: Vec<Seq> = found.iter().map(|(_, seq)| *seq).collect();
    tx.erase_memories(&seqs, now).await?;
    for (id, _) in found {
        tx.audit(&entry(now, "conversation.uncompact", Some(id.to_string()), 1)).await?;
    }
    Ok(seqs)
}

/// Whether a change touches what a summary took from a record or inherited from it.
pub(super) fn is_other(before: &Memory, after: &MemoryDraft) -> bool {
    let of = |draft: &MemoryDraft| {
        let place = (draft.namespace.clone(), draft.session_id.clone());
        (draft.content.clone(), draft.speaker.clone(), draft.metadata.sensitive, draft.consent_id, place)
    };
    of(&before.draft) != of(after)
}
