//! Finds, in a write's transaction, the records that already state what a draft states; and confirms them.

use std::collections::HashMap;

use uuid::Uuid;

use super::identity::Identity;
use crate::bounds::{MAX_CHANNELS, MAX_TAGS};
use crate::context::Digest;
use crate::error::Result;
use crate::extraction::StatementRow;
use crate::ids::MemoryId;
use crate::memory::{EmbedMark, Memory, MemoryDraft, MemoryFilter};
use crate::ports::{AttachmentQuery, VaultReader, VaultTransaction};
use crate::tables::{RowQuery, TableRow as _, find, put};
use crate::time::Timestamp;

/// Digests per query.
const AT_ONCE: usize = 512;
/// Most records with one digest that are looked at: more are equal only if a caller insisted on each.
const LOOKED_AT: usize = 8;

/// Records that hold and may state what drafts state, by the digests of their statements.
#[derive(Default)]
pub(in crate::usecases) struct Known(HashMap<Digest, Vec<MemoryId>>);

impl Known {
    /// Looks for records with these digests: active, valid now and within the caller's reach.
    pub(in crate::usecases) async fn among(
        reader: &mut dyn VaultReader,
        digests: impl Iterator<Item = Digest>,
        now: Timestamp,
    ) -> Result<Self> {
        let (all, mut known): (Vec<Digest>, Self) = (digests.collect(), Self::default());
        for some in all.chunks(AT_ONCE) {
            let query = StatementRow::query().among(&["digest"], some.iter().map(|digest| Uuid::from_bytes(*digest)));
            let memories = MemoryFilter { valid_at: Some(now), ..MemoryFilter::default() };
            for row in find::<StatementRow>(reader, &RowQuery { memories, ..query }).await? {
                let same = known.0.entry(row.digest).or_default();
                if same.len() < LOOKED_AT {
                    same.push(row.memory);
                }
            }
        }
        Ok(known)
    }

    /// Returns the record that states what the draft, under its consent, states.
    pub(in crate::usecases) async fn stating(
        &self,
        reader: &mut dyn VaultReader,
        digest: Digest,
        draft: &MemoryDraft,
    ) -> Result<Option<Memory>> {
        for id in self.0.get(&digest).into_iter().flatten() {
            // The record may have been changed since its digest was made.
            let memory = reader.memory(*id).await?.filter(|memory| is_same(&memory.draft, draft));
            if let Some(memory) = memory
                && reader.attachments(&AttachmentQuery::OfMemory(memory.seq)).await?.is_empty()
            {
                return Ok(Some(memory));
            }
        }
        Ok(None)
    }
}

fn is_same(known: &MemoryDraft, draft: &MemoryDraft) -> bool {
    let is = |one: &MemoryDraft| Identity::of(one);
    known.consent_id == draft.consent_id && is(known).is_some() && is(known) == is(draft)
}

/// Stores the digests of new records, so that they are known from now on.
pub(in crate::usecases) async fn note(tx: &mut dyn VaultTransaction, new: &[(Digest, MemoryId)]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let rows: Vec<StatementRow> = new.iter().map(|&(digest, memory)| StatementRow { digest, memory }).collect();
    put(tx, &rows).await
}

/// Returns a draft with what another of the same statement adds: its tags and channels, and whatever is stronger.
pub(in crate::usecases) fn joined(known: &MemoryDraft, other: &MemoryDraft) -> MemoryDraft {
    let mut joined = known.clone();
    add(&mut joined.metadata.tags, &other.metadata.tags, MAX_TAGS);
    add(&mut joined.metadata.channels, &other.metadata.channels, MAX_CHANNELS);
    joined.metadata.user_feedback = other.metadata.user_feedback.or(known.metadata.user_feedback);
    joined.tier = known.tier.max(other.tier);
    joined.protected |= other.protected;
    joined.importance = known.importance.max(other.importance);
    // No vectors is the stronger wish.
    joined.embed = match (known.embed, other.embed) {
        (EmbedMark::Never, _) | (_, EmbedMark::Never) => EmbedMark::Never,
        (EmbedMark::Always, _) | (_, EmbedMark::Always) => EmbedMark::Always,
        _ => EmbedMark::Auto,
    };
    joined
}

fn add(labels: &mut Vec<String>, more: &[String], most: usize) {
    for label in more {
        if labels.len() < most && !labels.contains(label) {
            labels.push(label.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Metadata, Tier};

    #[test]
    fn whatever_is_stronger_holds_and_tags_are_joined() {
        let tagged = |tags: &[&str]| Metadata {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Metadata::default()
        };
        let weak = MemoryDraft { importance: 7, metadata: tagged(&["a", "b"]), ..MemoryDraft::default() };
        let strong = MemoryDraft {
            tier: Tier::Permanent,
            protected: true,
            importance: 3,
            embed: EmbedMark::Never,
            metadata: tagged(&["b", "c"]),
            ..MemoryDraft::default()
        };
        for (one, other) in [(&weak, &strong), (&strong, &weak)] {
            let joined = joined(one, other);
            assert_eq!((joined.tier, joined.protected, joined.importance), (Tier::Permanent, true, 7));
            assert_eq!((joined.embed, joined.metadata.tags.len()), (EmbedMark::Never, 3));
        }
        let many: Vec<String> = (0..MAX_TAGS).map(|n| n.to_string()).collect();
        let full = MemoryDraft { metadata: Metadata { tags: many, ..Metadata::default() }, ..weak.clone() };
        assert_eq!(joined(&full, &weak).metadata.tags.len(), MAX_TAGS);
    }
}
