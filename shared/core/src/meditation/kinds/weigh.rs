//! `weigh`: notes which claims a record makes, replacing earlier notes.

use async_trait::async_trait;

use super::reading::{note, unread};
use super::{Applying, Refused, Rules};
use crate::beliefs::ClaimRow;
use crate::error::Result;
use crate::meditation::Change;
use crate::meditation::steps::{Believe, Step as _};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// The number of claims.
pub(in crate::meditation) const CLAIMS: &str = "claims";

/// The rules of `weigh`.
pub(super) struct Weigh;

#[async_trait]
impl Rules for Weigh {
    fn numbers(&self) -> &'static [&'static str] {
        &[CLAIMS]
    }

    fn is_derived(&self) -> bool {
        true
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.weigh")
    }

    fn explain(&self, change: &Change) -> String {
        match change.body.count(CLAIMS) {
            0 => format!("{}; nothing is claimed that can be contradicted", unread(change)),
            1 => format!("{}; one claim is made", unread(change)),
            claims => format!("{}; {claims} claims are made", unread(change)),
        }
    }

    fn holds(&self, _: &Change, memory: &Memory, _: Timestamp) -> bool {
        memory.state == MemoryState::Active
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], _: Applying<'_>) -> Result<Refused> {
        note(tx, changes, ClaimRow::all_of, (Believe.name(), Believe::RULES)).await?;
        Ok(Refused::new())
    }
}
