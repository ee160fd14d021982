//! `withdraw`: ends a conclusion because something that it rests on no longer holds. It stays as a record that no
//! longer holds, so a person may restore it; after that, no run ends it again.

use async_trait::async_trait;

use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::meditation::Change;
use crate::meditation::kinds::reading::subjects;
use crate::memory::Memory;
use crate::ports::VaultTransaction;
use crate::time::Timestamp;
use crate::usecases::insights::withdraw;

/// The rules of `withdraw`.
pub(super) struct Withdraw;

#[async_trait]
impl Rules for Withdraw {
    fn numbers(&self) -> &'static [&'static str] {
        &[]
    }

    // Ending a conclusion always writes its own audit entry, whatever ends it.
    fn audit(&self) -> Option<&'static str> {
        None
    }

    fn explain(&self, change: &Change) -> String {
        super::why::sentence(change.reason, change)
    }

    fn holds(&self, _: &Change, memory: &Memory, now: Timestamp) -> bool {
        super::Stated::is(memory, now) && memory.draft.is_concluded()
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        for memory in subjects(tx, changes).await? {
            withdraw(tx, memory, when.at).await?;
        }
        Ok(Refused::new())
    }
}
