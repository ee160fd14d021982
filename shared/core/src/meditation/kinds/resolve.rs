//! `resolve`: of two memories that contradict each other, ends the one with far less confidence, as when a person
//! resolves it. The decision is stored like a person's, so it is undone in the same way. The link stays, so no later
//! run decides about the pair again.

use async_trait::async_trait;

use super::contradict::{OTHERS, OURS, Stated, believed, link, pair};
use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Change;
use crate::memory::{Memory, SourceType};
use crate::ports::VaultTransaction;
use crate::reviews::{Decided, Decision, ReviewChange, ReviewId, ReviewKind};
use crate::tables::put;
use crate::time::Timestamp;
use crate::usecases::links::supersede;

/// The rules of `resolve`, which end the second memory.
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
        format!("{}: the other is no longer valid", believed(change))
    }

    fn holds(&self, change: &Change, memory: &Memory, now: Timestamp) -> bool {
        let ends = change.memory_id() != memory.id;
        Stated::holds(change, memory, now) && !(ends && memory.draft.lasts())
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        for change in changes {
            let Some(pair) = pair(change) else { continue };
            let lost = tx.memory(pair.1).await?.filter(|memory| memory.holds_at(when.at));
            if let Some(lost) = lost
                && link(tx, pair, when.at).await?
            {
                supersede(tx, pair, (&why(change, pair), SourceType::Inference), when.at).await?;
                decide(tx, pair, lost.draft.valid_to, when.at).await?;
            }
        }
        Ok(Refused::new())
    }
}

/// Returns the reason that is stored with the ended memory. It names both memories, since it is read from either side.
fn why(change: &Change, (kept, lost): (MemoryId, MemoryId)) -> String {
    let (ours, other) = (change.body.real(OURS.confidence), change.body.real(OTHERS.confidence));
    format!("both cannot be true: {kept} has confidence {ours:.2}, {lost} {other:.2}")
}

/// Stores the decision, and the end of validity that the ended memory had before.
async fn decide(
    tx: &mut dyn VaultTransaction,
    (kept, lost): (MemoryId, MemoryId),
    until: Option<Timestamp>,
    at: Timestamp,
) -> Result<()> {
    let id = ReviewId { kind: ReviewKind::Contradiction, first: kept, second: lost };
    let (Some(kept), Some(lost)) = (tx.memory(kept).await?, tx.memory(lost).await?) else { return Ok(()) };
    let decided = Decided::Applied(ReviewChange::KeepFirst);
    put(tx, &[Decision { until, ..Decision::about(id, decided, &[kept, lost], at) }]).await
}
