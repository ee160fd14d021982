//! `contradict`: records that two memories contradict each other, and leaves the decision to a person.

use async_trait::async_trait;

use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Link, LinkDraft, Relation};
use crate::meditation::Change;
use crate::memory::{Memory, MemoryState, SourceType};
use crate::ports::VaultTransaction;
use crate::tables::find;
use crate::time::{Span, Timestamp};
use crate::usecases::links::add;

/// The names of the numbers that a body holds about one of the two memories.
pub(in crate::meditation) struct Stated {
    /// The confidence in it.
    pub(in crate::meditation) confidence: &'static str,
    /// Its revision when it was compared.
    pub(in crate::meditation) revision: &'static str,
}

/// The names for the first memory.
pub(in crate::meditation) const OURS: Stated = Stated { confidence: "confidence", revision: "revision" };
/// The names for the second memory, which is the one that `resolve` ends.
pub(in crate::meditation) const OTHERS: Stated =
    Stated { confidence: "others_confidence", revision: "others_revision" };

impl Stated {
    /// Reports whether a memory is active and holds.
    pub(in crate::meditation) fn is(memory: &Memory, as_of: Timestamp) -> bool {
        memory.state == MemoryState::Active && memory.holds_at(Self::by(as_of))
    }

    /// Returns the time by which a memory must have begun to hold. Runs count ages from the full hour, so this adds an
    /// hour to include what began to hold within it.
    pub(in crate::meditation) fn by(as_of: Timestamp) -> Timestamp {
        as_of.plus(Span::hours(1))
    }

    /// Reports whether a memory still holds, unchanged since it was compared.
    pub(super) fn holds(change: &Change, memory: &Memory, now: Timestamp) -> bool {
        let stated = if change.memory_id() == memory.id { OURS } else { OTHERS };
        Self::is(memory, now) && change.body.count(stated.revision) == memory.revision
    }

    /// Returns the names of all numbers about both memories.
    pub(super) const fn numbers() -> &'static [&'static str] {
        &[OURS.confidence, OURS.revision, OTHERS.confidence, OTHERS.revision]
    }
}

/// The rules of `contradict`.
pub(super) struct Contradict;

#[async_trait]
impl Rules for Contradict {
    fn numbers(&self) -> &'static [&'static str] {
        Stated::numbers()
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.contradict")
    }

    fn explain(&self, change: &Change) -> String {
        format!("{}, which is too close to decide: say which is true", believed(change))
    }

    fn holds(&self, change: &Change, memory: &Memory, now: Timestamp) -> bool {
        Stated::holds(change, memory, now)
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        for change in changes {
            if let Some(pair) = pair(change) {
                link(tx, pair, when.at).await?;
            }
        }
        Ok(Refused::new())
    }
}

/// Explains the confidence in two memories that contradict each other.
pub(in crate::meditation) fn believed(change: &Change) -> String {
    let (ours, other) = (change.body.real(OURS.confidence), change.body.real(OTHERS.confidence));
    format!("both cannot be true; its confidence is {ours:.2}, that of the other {other:.2}")
}

/// Returns the ids of the two memories.
pub(super) fn pair(change: &Change) -> Option<(MemoryId, MemoryId)> {
    let [ours, other] = change.subjects.as_slice() else { return None };
    Some((MemoryId(ours.id), MemoryId(other.id)))
}

/// Links the first memory to the second, unless a link already says that they contradict each other. Reports whether it
/// did.
pub(super) async fn link(
    tx: &mut dyn VaultTransaction,
    (ours, other): (MemoryId, MemoryId),
    at: Timestamp,
) -> Result<bool> {
    for key in [(ours, Relation::Contradicts, other), (other, Relation::Contradicts, ours)] {
        if !find::<Link>(tx.as_reader(), &Link::named(key)).await?.is_empty() {
            return Ok(false);
        }
    }
    let draft = LinkDraft { source: Some(SourceType::Inference), ..LinkDraft::new(ours, Relation::Contradicts, other) };
    add(tx, &[draft.into_link(at)]).await?;
    Ok(true)
}
