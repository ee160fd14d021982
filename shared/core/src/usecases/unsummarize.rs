//! Erases records derived from records that are erased, archived or changed: summaries by compacting, merged records, and
//! conclusions of meditations. No word of those records may outlive them there. The other turns of such a summary count
//! as not compacted, and go into the next one; the other sources of a merged record hold again.

use std::collections::BTreeSet;

use super::cascade::Following;
use super::compact_session::made;
use super::insights::concluded_from;
use super::merge::merges;
use crate::audit::Actor;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link};
use crate::memory::{Memory, MemoryDraft, MemoryState, RecordKind, SourceType};
use crate::ports::{VaultReader, VaultTransaction};
use crate::tables::find;
use crate::time::Timestamp;

/// Records per query.
const AT_ONCE: usize = 500;

/// Returns what was made of records, withheld or not, except what is among the records: summaries by compacting, merged
/// records, and conclusions of meditations.
pub(super) async fn summaries_of(reader: &mut dyn VaultReader, of: &BTreeSet<MemoryId>) -> Result<BTreeSet<MemoryId>> {
    let (ids, mut all): (Vec<MemoryId>, BTreeSet<MemoryId>) = (of.iter().copied().collect(), BTreeSet::new());
    for ids in ids.chunks(AT_ONCE) {
        let mut links = find::<Link>(reader, &made(Link::of(ids.iter().copied(), Direction::In)).with_doomed()).await?;
        links.extend(merges(reader, ids).await?);
        all.extend(links.into_iter().map(|link| link.from));
        all.extend(concluded_from(reader, ids).await?);
    }
    Ok(&all - of)
}

/// Returns the summaries by compacting of these records alone.
pub(super) async fn summaries_alone(
    reader: &mut dyn VaultReader,
    summaries: &BTreeSet<MemoryId>,
    of: &BTreeSet<MemoryId>,
) -> Result<BTreeSet<MemoryId>> {
    let (mut alone, mut beside) = (BTreeSet::new(), BTreeSet::new());
    let summaries: Vec<MemoryId> = summaries.iter().copied().collect();
    for ids in summaries.chunks(AT_ONCE) {
        let query = made(Link::of(ids.iter().copied(), Direction::Out)).with_doomed();
        for link in find::<Link>(reader, &query).await? {
            let side = if of.contains(&link.to) { &mut alone } else { &mut beside };
            side.insert(link.from);
        }
    }
    Ok(&alone - &beside)
}

/// Returns those of the made records that a person edited: they are no longer what a merge or a meditation made.
pub(super) async fn edited(reader: &mut dyn VaultReader, made: &BTreeSet<MemoryId>) -> Result<BTreeSet<MemoryId>> {
    let ids: Vec<MemoryId> = made.iter().copied().collect();
    let records = reader.records(&ids).await?.into_iter().map(|record| record.memory);
    Ok(records.filter(is_edited).map(|memory| memory.id).collect())
}

/// Reports whether a person edited what a merge or a meditation made: an edit leaves a correction. A deleted record
/// does not count, as undoing a merge deletes it.
pub(super) fn is_edited(memory: &Memory) -> bool {
    let draft = &memory.draft;
    if memory.state == MemoryState::Deleted || draft.kind == RecordKind::Summary || draft.is_concluded() {
        return false;
    }
    draft.was_concluded() || draft.source_type == Some(SourceType::Correction)
}

/// Erases what was made of records that their owner deleted, when a meditation erases them among others.
pub(crate) async fn erase_made_of(
    tx: &mut dyn VaultTransaction,
    deleted: &BTreeSet<MemoryId>,
    erased: BTreeSet<MemoryId>,
    now: Timestamp,
) -> Result<()> {
    let following = Following::of_pruned(tx.as_reader(), deleted, erased).await?;
    let along = following.take_along(tx, (now, Actor::System)).await?;
    if along.seqs.is_empty() { Ok(()) } else { tx.erase_memories(&along.seqs, now).await }
}

/// Erases records derived from one that stays, and marks as stale those derived from them. A record that a person edited is marked,
/// too, but erased if the record is withdrawn. Reports whether the record holds again, because a merge of it was erased.
pub(super) async fn unsummarize(
    tx: &mut dyn VaultTransaction,
    id: MemoryId,
    other: Other,
    now: Timestamp,
) -> Result<bool> {
    let made = match other {
        Other::Moved => concluded_from(tx.as_reader(), &[id]).await?,
        Other::Edited | Other::Withdrawn => summaries_of(tx.as_reader(), &BTreeSet::from([id])).await?,
    };
    if made.is_empty() {
        return Ok(false);
    }
    let ended = tx.memory(id).await?.and_then(|memory| memory.draft.valid_to);
    let following = Following::of_summaries(tx.as_reader(), made, other != Other::Withdrawn).await?;
    let along = following.take_along(tx, (now, Actor::Caller)).await?;
    if !along.seqs.is_empty() {
        tx.erase_memories(&along.seqs, now).await?;
    }
    Ok(ended.is_some() && tx.memory(id).await?.is_some_and(|memory| memory.draft.valid_to.is_none()))
}

/// How a change of a record affects what was made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// The record moves to another tier, where its conclusions do not belong. Summaries take no tier from their turns.
    Moved,
    /// It no longer says what was taken from it.
    Edited,
    /// Records derived from it would be outside its scope: they are erased, even if a person edited them.
    Withdrawn,
}

impl Other {
    /// Returns how a change affects what was taken from a record or inherited from it, if it does.
    pub(super) fn of(before: &MemoryDraft, after: &MemoryDraft) -> Option<Self> {
        let withdrawn = (after.metadata.sensitive && !before.metadata.sensitive)
            || before.consent_id != after.consent_id
            || before.namespace != after.namespace;
        let edited = before.content != after.content
            || before.speaker != after.speaker
            || before.session_id != after.session_id
            || before.metadata.sensitive != after.metadata.sensitive;
        match () {
            () if withdrawn => Some(Self::Withdrawn),
            () if edited => Some(Self::Edited),
            () => (before.tier != after.tier).then_some(Self::Moved),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ConsentId, Seq};
    use crate::memory::{Creator, Tier};

    #[test]
    fn what_was_made_of_a_record_is_classified_by_how_that_changes() {
        let other = |change: fn(&mut MemoryDraft)| {
            let mut after = MemoryDraft::default();
            change(&mut after);
            Other::of(&MemoryDraft::default(), &after)
        };
        assert_eq!(other(|draft| draft.metadata.sensitive = true), Some(Other::Withdrawn));
        assert_eq!(other(|draft| draft.consent_id = Some(ConsentId(uuid::Uuid::nil()))), Some(Other::Withdrawn));
        assert_eq!(other(|draft| draft.namespace = "work".to_owned()), Some(Other::Withdrawn));
        assert_eq!(other(|draft| draft.content = "Ana moved".to_owned()), Some(Other::Edited));
        assert_eq!(other(|draft| draft.tier = Tier::Permanent), Some(Other::Moved));
        assert_eq!(other(|draft| draft.confidence = Some(0.5)), None);
    }

    #[test]
    fn what_a_person_edited_is_distinguished_from_what_ended_or_was_made_otherwise() {
        let merged = MemoryDraft {
            created_by: Creator::System,
            source_type: Some(SourceType::Consolidation),
            ..MemoryDraft::default()
        };
        let of = |draft: &MemoryDraft, revision| Memory {
            revision,
            ..Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft.clone(), Timestamp(0))
        };
        assert!(!is_edited(&of(&merged, 1)) && !is_edited(&of(&merged, 7)), "a thumbs up writes nothing");
        let edited = MemoryDraft { source_type: Some(SourceType::Correction), ..merged.clone() };
        assert!(is_edited(&of(&edited, 2)));
        assert!(!is_edited(&Memory { state: MemoryState::Deleted, ..of(&edited, 2) }));
        let summary = MemoryDraft { kind: RecordKind::Summary, ..merged.clone() };
        let insight = MemoryDraft {
            kind: RecordKind::Insight,
            source_type: Some(SourceType::Inference),
            source_ref: Some("night/7".to_owned()),
            valid_to: Some(Timestamp(1)),
            ..merged
        };
        assert!(!is_edited(&of(&summary, 2)) && !is_edited(&of(&insight, 3)));
        assert!(is_edited(&of(&MemoryDraft { source_type: None, ..insight }, 2)), "written over by a person");
    }
}
