//! `delete`: a memory whose grace is over is erased. Nothing brings it back.

use async_trait::async_trait;

use super::why::{self, ALLOWED, GRACE_OVER, HELD, LOW_SCORE};
use super::{Applying, Effect, Rules};
use crate::error::Result;
use crate::meditation::Change;
use crate::memory::{Memory, MemoryState, Tier};
use crate::ports::VaultTransaction;
use crate::retention::grace_passed;
use crate::time::Timestamp;

/// Erases.
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

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<()> {
        tx.prune_memories(changes, when.at).await
    }
}
