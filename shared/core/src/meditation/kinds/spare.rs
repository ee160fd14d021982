//! `spare`: leaves a memory alone that was due for archiving or erasing. Only the reason is recorded.

use async_trait::async_trait;

use super::why::{self, AGE, ALLOWED, CAP, GRACE_OVER, HELD, INSTEAD, LIFETIME, LOW_SCORE, SOME_PROTECTED};
use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::meditation::Change;
use crate::memory::Memory;
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// The rules of `spare`.
pub(super) struct Spare;

#[async_trait]
impl Rules for Spare {
    fn numbers(&self) -> &'static [&'static str] {
        &[AGE, LIFETIME, HELD, ALLOWED, SOME_PROTECTED, GRACE_OVER, LOW_SCORE, CAP, INSTEAD]
    }

    fn settles(&self) -> bool {
        true
    }

    fn audit(&self) -> Option<&'static str> {
        None
    }

    fn explain(&self, change: &Change) -> String {
        why::sentence(change.reason, change)
    }

    fn holds(&self, _: &Change, _: &Memory, _: Timestamp) -> bool {
        true
    }

    async fn apply(&self, _: &mut dyn VaultTransaction, _: &[&Change], _: Applying<'_>) -> Result<Refused> {
        Ok(Refused::new())
    }
}
