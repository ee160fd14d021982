//! `tag`: gives records tags, replacing those that an earlier run gave them. Sensitive records get none.

use async_trait::async_trait;

use super::reading::{replace, subjects};
use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::meditation::steps::{Step as _, Tag as Tagging};
use crate::meditation::{Change, Reason};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::tagging::tags_of;
use crate::time::Timestamp;

/// The rules of `tag`.
pub(super) struct Tag;

#[async_trait]
impl Rules for Tag {
    fn numbers(&self) -> &'static [&'static str] {
        &[]
    }

    fn is_derived(&self) -> bool {
        true
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.tag")
    }

    fn explain(&self, change: &Change) -> String {
        let memories = match change.subjects.len() {
            1 => "one memory gets tags".to_owned(),
            memories => format!("{memories} memories get tags"),
        };
        let why = match change.reason {
            Reason::Outdated => "its tags are a week old",
            _ => "not read since it was written",
        };
        format!("{memories}: {why}")
    }

    fn holds(&self, _: &Change, memory: &Memory, _: Timestamp) -> bool {
        memory.state == MemoryState::Active
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        let memories = subjects(tx, changes).await?;
        let rows = tags_of(tx.as_reader(), &memories).await?;
        replace(tx, &memories, &rows, (Tagging.name(), Tagging::version(when.at))).await?;
        Ok(Refused::new())
    }
}
