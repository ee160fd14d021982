//! `withdraw`: what was concluded ends, as something that it rests on fell. It stays as a record that holds no longer, so that a person
//! may have it hold again; then no night ends it.

use async_trait::async_trait;

use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::meditation::Change;
use crate::meditation::kinds::reading::subjects;
use crate::memory::Memory;
use crate::ports::VaultTransaction;
use crate::time::Timestamp;
use crate::usecases::insights::withdraw;

/// Ends it.
pub(super) struct Withdraw;

#[async_trait]
impl Rules for Withdraw {
    fn numbers(&self) -> &'static [&'static str] {
        &[]
    }

    // Each conclusion is audited as it ends, whatever ends it.
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
