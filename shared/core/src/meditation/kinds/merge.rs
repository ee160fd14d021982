//! `merge`: one record replaces several that say the same, as when a person applies a merge in a review. The decision
//! is stored like a person's, so it is undone in the same way.

use async_trait::async_trait;

use super::why::{self, MERGED};
use super::{Applying, Making, Refused, Rules};
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::meditation::Change;
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::reviews::{Decided, Decision, ReviewChange, ReviewId, ReviewKind};
use crate::tables::put;
use crate::time::Timestamp;
use crate::usecases::merge::Merging;

/// The revisions of the records when they were compared, by position.
pub(in crate::meditation) const REVISIONS: [&str; 3] = ["revision", "others_revision", "third_revision"];

/// The names of the numbers that a body holds.
const NUMBERS: &[&str] = &[MERGED, REVISIONS[0], REVISIONS[1], REVISIONS[2]];

/// The rules of `merge`.
pub(super) struct Merge;

#[async_trait]
impl Rules for Merge {
    fn numbers(&self) -> &'static [&'static str] {
        NUMBERS
    }

    fn audit(&self) -> Option<&'static str> {
        // Each merge writes its own audit entry, with the record that it makes.
        None
    }

    fn explain(&self, change: &Change) -> String {
        why::sentence(change.reason, change)
    }

    fn holds(&self, change: &Change, memory: &Memory, _: Timestamp) -> bool {
        let index = change.subjects.iter().position(|subject| subject.id == memory.id.0);
        let seen = index.and_then(|at| REVISIONS.get(at)).map(|name| change.body.count(name));
        let draft = &memory.draft;
        memory.state == MemoryState::Active
            && draft.valid_to.is_none()
            && !draft.lasts()
            && seen == Some(memory.revision)
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        let Some(making) = when.making else { return Ok((0..changes.len()).collect()) };
        let mut refused = Vec::new();
        for (index, change) in changes.iter().enumerate() {
            let mut sources = Vec::with_capacity(change.subjects.len());
            for subject in &change.subjects {
                sources.extend(tx.memory(MemoryId(subject.id)).await?);
            }
            // Changes carried out earlier in this batch may have altered the sources.
            let hold = sources.iter().all(|source| self.holds(change, source, when.at));
            let why = why::sentence(change.reason, change);
            if !hold || sources.len() != change.subjects.len() || !merge(tx, making, (&sources, &why), when.at).await? {
                refused.push(index);
            }
        }
        Ok(refused)
    }
}

/// Merges the sources. Without room or consent they stay as they are, and a person sees them in the review. Reports
/// whether they were merged.
async fn merge(
    tx: &mut dyn VaultTransaction,
    making: Making<'_>,
    (sources, why): (&[Memory], &str),
    now: Timestamp,
) -> Result<bool> {
    let (ids, defaults) = (making.ids.as_ref(), making.defaults);
    let merging = Merging { sources, why, now, ids, defaults, caller: None, traceparent: None };
    match merging.ready(tx).await {
        Ok(ready) => {
            ready.store(tx).await?;
            decide(tx, sources, now).await.map(|()| true)
        }
        Err(
            Error::ConsentRequired { .. }
            | Error::QuotaExceeded { .. }
            | Error::ArchiveFull { .. }
            | Error::LimitReached { .. }
            | Error::Conflict { .. }
            | Error::Invalid(_),
        ) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn decide(tx: &mut dyn VaultTransaction, sources: &[Memory], at: Timestamp) -> Result<()> {
    let [first, second, ..] = sources else { return Ok(()) };
    let id = ReviewId { kind: ReviewKind::Merge, first: first.id, second: second.id };
    let (Some(first), Some(second)) = (tx.memory(first.id).await?, tx.memory(second.id).await?) else { return Ok(()) };
    put(tx, &[Decision::about(id, Decided::Applied(ReviewChange::Merge), &[first, second], at)]).await
}
