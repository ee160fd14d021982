//! `resolve`: of two memories that contradict each other the one that is believed less by far ends, as when a person resolves it, and is
//! brought back in the same way.

use async_trait::async_trait;

use super::contradict::{Stated, believed, link, pair};
use super::{Applying, Rules};
use crate::error::Result;
use crate::meditation::Change;
use crate::memory::{Memory, SourceType};
use crate::ports::VaultTransaction;
use crate::time::Timestamp;
use crate::usecases::links::keep;

/// Ends the second.
pub(super) struct Resolve;

#[async_trait]
impl Rules for Resolve {
    fn numbers(&self) -> &'static [&'static str] {
        Stated::numbers()
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.resolve")
    }

    fn explain(&self, change: &Change) -> String {
        format!("{}: the other holds no longer", believed(change))
    }

    fn holds(&self, change: &Change, memory: &Memory, now: Timestamp) -> bool {
        let ends = change.memory_id() != memory.id;
        Stated::holds(change, memory, now) && !(ends && memory.draft.lasts())
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying) -> Result<()> {
        for change in changes {
            let Some(pair) = pair(change) else { continue };
            let still = tx.memory(pair.1).await?.is_some_and(|memory| memory.holds_at(when.at));
            if still && link(tx, pair, when.at).await? {
                keep(tx, pair, (&believed(change), SourceType::Inference), when.at).await?;
            }
        }
        Ok(())
    }
}
