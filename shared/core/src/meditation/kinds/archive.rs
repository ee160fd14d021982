//! `archive`: a memory moves to the archive, where its grace window begins. Its owner can restore it until it is erased.

use async_trait::async_trait;

use super::why::{self, AGE, ALLOWED, BEFORE, HELD, LIFETIME, RETRIEVED, SALIENCE, SOME_PROTECTED, THRESHOLD};
use super::{Applying, Effect, Refused, Rules};
use crate::error::Result;
use crate::meditation::Change;
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// The rules of `archive`.
pub(super) struct Archive;

#[async_trait]
impl Rules for Archive {
    fn numbers(&self) -> &'static [&'static str] {
        &[AGE, LIFETIME, HELD, ALLOWED, SOME_PROTECTED, SALIENCE, THRESHOLD, BEFORE, RETRIEVED]
    }

    fn effect(&self) -> Effect {
        Effect::Archives
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.archive")
    }

    fn explain(&self, change: &Change) -> String {
        why::sentence(change.reason, change)
    }

    fn holds(&self, change: &Change, memory: &Memory, _: Timestamp) -> bool {
        // A memory retrieved since the decision is in use.
        let used = change.body.has(RETRIEVED) && memory.access_count > change.body.count(RETRIEVED);
        memory.state == MemoryState::Active && Some(memory.draft.tier) == change.tier() && !used
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        tx.archive_memories(changes, when.at, when.delete_after).await?;
        Ok(Refused::new())
    }
}
