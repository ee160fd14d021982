//! `delete`: erases a memory whose grace is over. It cannot be undone.

use std::collections::BTreeSet;

use async_trait::async_trait;

use super::why::{self, ALLOWED, GRACE_OVER, HELD, LOW_SCORE};
use super::{Applying, Effect, Refused, Rules};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::{Change, Reason};
use crate::memory::{Memory, MemoryState, Tier};
use crate::ports::VaultTransaction;
use crate::retention::grace_passed;
use crate::time::Timestamp;
use crate::usecases::unsummarize::erase_made_of;

/// The rules of `delete`.
pub(super) struct Delete;

#[async_trait]
impl Rules for Delete {
    fn numbers(&self) -> &'static [&'static str] {
        &[GRACE_OVER, LOW_SCORE, HELD, ALLOWED]
    }

    fn effect(&self) -> Effect {
        Effect::Erases
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.erase")
    }

    fn explain(&self, change: &Change) -> String {
        why::sentence(change.reason, change)
    }

    fn holds(&self, _: &Change, memory: &Memory, now: Timestamp) -> bool {
        let owners_wish = memory.state == MemoryState::Deleted;
        grace_passed(memory.delete_after, now) && (owners_wish || memory.draft.tier != Tier::Permanent)
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        let ids = |reason: Option<Reason>| {
            let of = changes.iter().filter(|change| reason.is_none_or(|reason| change.reason == reason));
            of.flat_map(|change| &change.subjects).map(|subject| MemoryId(subject.id)).collect::<BTreeSet<_>>()
        };
        // Erasing by the system keeps the records made from a memory; erasing on the owner's wish erases those too.
        let deleted = ids(Some(Reason::OwnerDeleted));
        if !deleted.is_empty() {
            erase_made_of(tx, &deleted, ids(None), when.at).await?;
        }
        tx.prune_memories(changes, when.at).await?;
        Ok(Refused::new())
    }
}
