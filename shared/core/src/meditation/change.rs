//! The changes that steps propose and runs decide.

use uuid::Uuid;

use super::kinds::{BYTES, Body, SCORE, STATE, TIER};
use super::{Kind, Reason, RetentionItem};
use crate::ids::{MeditationId, MemoryId, Seq};
use crate::memory::{MemoryState, Tier};
use crate::time::Timestamp;

/// A record of the vault that a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// Its id.
    pub id: Uuid,
    /// Its sequence number in the vault.
    pub seq: Seq,
}

/// A change that a step proposes. It holds ids and numbers, never text.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The step that proposed it, set by the runner; empty if this build has no such step.
    pub step: &'static str,
    /// What to do.
    pub kind: Kind,
    /// The records to change: at least one, each once.
    pub subjects: Vec<Subject>,
    /// The reason.
    pub reason: Reason,
    /// The numbers it was decided from, and those that say how to carry it out.
    pub body: Body,
}

impl Change {
    /// Creates a change of one memory in its present state. `numbers` are what the kind's sentence needs besides that
    /// state.
    pub fn of(item: &RetentionItem, kind: Kind, reason: Reason, numbers: Body) -> Self {
        let standing = Body::standing(item.tier, item.state, item.size_bytes, item.score);
        let subjects = vec![Subject { id: item.id.0, seq: item.seq }];
        Self { step: "", kind, subjects, reason, body: standing.and(numbers) }
    }

    /// Removes the subjects for which `holds` fails, if the kind changes each subject independently; otherwise all must
    /// hold. Reports whether a change remains.
    pub(super) fn retain(&mut self, holds: impl Fn(&Subject) -> bool) -> bool {
        if !self.kind.rules().is_derived() {
            return self.subjects.iter().all(holds);
        }
        self.subjects.retain(holds);
        !self.subjects.is_empty()
    }

    /// Returns the first subject, the only one for most kinds; a nil id if there is none.
    pub fn subject(&self) -> Subject {
        self.subjects.first().copied().unwrap_or(Subject { id: Uuid::nil(), seq: Seq(0) })
    }

    /// Returns the id of the memory to change.
    pub fn memory_id(&self) -> MemoryId {
        MemoryId(self.subject().id)
    }

    /// Returns the sequence number of the memory to change.
    pub fn seq(&self) -> Seq {
        self.subject().seq
    }

    /// Returns the memory's tier, if the body has it.
    pub fn tier(&self) -> Option<Tier> {
        self.body.chosen(TIER, Tier::ALL)
    }

    /// Returns the memory's state before the change, if the body has it.
    pub fn state(&self) -> Option<MemoryState> {
        self.body.chosen(STATE, MemoryState::ALL)
    }

    /// Returns the memory's bytes; 0 if the body has none.
    pub fn size_bytes(&self) -> u64 {
        self.body.count(BYTES)
    }

    /// Returns the memory's score; 0 if the body has none.
    pub fn score(&self) -> f64 {
        self.body.real(SCORE)
    }

    /// Returns an explanation for people: a sentence with the numbers.
    pub fn explanation(&self) -> String {
        self.kind.rules().explain(self)
    }

    /// Returns the bytes that count against the daily cap: those erased by the system, not on the owner's wish.
    pub fn pruned_bytes(&self) -> u64 {
        let by_system = self.kind == Kind::Delete && self.state() != Some(MemoryState::Deleted);
        if by_system { self.size_bytes() } else { 0 }
    }
}

/// A decision as stored with its run.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedDecision {
    /// The decision.
    pub decision: Change,
    /// The run.
    pub meditation_id: MeditationId,
    /// Position within the run, from 1; 0 for callers who may see only some memories.
    pub position: u64,
    /// When it was applied.
    pub decided_at: Timestamp,
}

impl RecordedDecision {
    /// Reduces the decision to what a caller may see who can read this memory and perhaps no other. Drops its position
    /// in the run and the numbers that describe other memories: all but those of [`Body::standing`], whose state shows
    /// that they are of this memory alone. In other bodies, bytes are a sum over memories.
    pub(crate) fn about(&mut self, id: MemoryId) {
        self.position = 0;
        self.decision.subjects.retain(|subject| subject.id == id.0);
        let standing: &[&str] = if self.decision.state().is_some() { &[TIER, STATE, BYTES, SCORE] } else { &[] };
        self.decision.body.retain(standing);
    }

    /// Returns an explanation for people; empty if its numbers are withheld.
    pub fn explanation(&self) -> String {
        if self.position == 0 { String::new() } else { self.decision.explanation() }
    }
}
