//! `recognize`: notes which entities a record names, replacing earlier notes. For a sensitive record it only notes that
//! it was read.

use async_trait::async_trait;

use super::reading::{note, unread};
use super::{Applying, Refused, Rules};
use crate::entities::mentions_of;
use crate::error::Result;
use crate::meditation::Change;
use crate::meditation::steps::{Entities, Step as _};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// The number of places where it names an entity.
pub(in crate::meditation) const NAMES: &str = "names";

/// The rules of `recognize`.
pub(super) struct Recognize;

#[async_trait]
impl Rules for Recognize {
    fn numbers(&self) -> &'static [&'static str] {
        &[NAMES]
    }

    fn is_derived(&self) -> bool {
        true
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.recognize")
    }

    fn explain(&self, change: &Change) -> String {
        match change.body.count(NAMES) {
            0 => format!("{}; no entity is named", unread(change)),
            1 => format!("{}; an entity is named in one place", unread(change)),
            names => format!("{}; entities are named in {names} places", unread(change)),
        }
    }

    fn holds(&self, _: &Change, memory: &Memory, _: Timestamp) -> bool {
        memory.state == MemoryState::Active
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], _: Applying<'_>) -> Result<Refused> {
        note(tx, changes, mentions_of, (Entities.name(), Entities::RULES)).await?;
        Ok(Refused::new())
    }
}
