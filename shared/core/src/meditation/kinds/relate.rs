//! `relate`: notes which relations between names a record states, replacing earlier notes.

use async_trait::async_trait;

use super::reading::{note, unread};
use super::{Applying, Refused, Rules};
use crate::entities::Tie;
use crate::error::Result;
use crate::meditation::Change;
use crate::meditation::steps::{Link, Step as _};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// The number of relations that it states.
pub(in crate::meditation) const TIES: &str = "ties";

/// The rules of `relate`.
pub(super) struct Relate;

#[async_trait]
impl Rules for Relate {
    fn numbers(&self) -> &'static [&'static str] {
        &[TIES]
    }

    fn is_derived(&self) -> bool {
        true
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.relate")
    }

    fn explain(&self, change: &Change) -> String {
        match change.body.count(TIES) {
            0 => format!("{}; no relation between entities is stated", unread(change)),
            1 => format!("{}; one relation between entities is stated", unread(change)),
            ties => format!("{}; {ties} relations between entities are stated", unread(change)),
        }
    }

    fn holds(&self, _: &Change, memory: &Memory, _: Timestamp) -> bool {
        memory.state == MemoryState::Active
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], _: Applying<'_>) -> Result<Refused> {
        note(tx, changes, Tie::all_of, (Link.name(), Link::RULES)).await?;
        Ok(Refused::new())
    }
}
