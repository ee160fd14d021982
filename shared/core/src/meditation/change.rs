//! What a step proposes and a run decides.

use uuid::Uuid;

use super::kinds::{BYTES, Body, Kind, SCORE, STATE, TIER};
use super::{Reason, RetentionItem};
use crate::ids::{MeditationId, MemoryId, Seq};
use crate::memory::{MemoryState, Tier};
use crate::time::Timestamp;

/// A record of the vault that a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// Its id.
    pub id: Uuid,
    /// Its number in the vault.
    pub seq: Seq,
}

/// A change that a step proposes. It holds ids and numbers, never text.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The step that proposed it, as the runner notes; empty if this build has no such step.
    pub step: &'static str,
    /// What is to be done.
    pub kind: Kind,
    /// What it is done to: at least one record, each once.
    pub subjects: Vec<Subject>,
    /// Why.
    pub reason: Reason,
    /// The numbers that it was decided from, and those that say how it is done.
    pub body: Body,
}

impl Change {
    /// A change of one memory, as it stands now. What the kind's sentence tells besides is added to the body.
    pub fn of(item: &RetentionItem, kind: Kind, reason: Reason, numbers: Body) -> Self {
        let standing = Body::standing(item.tier, item.state, item.size_bytes, item.score);
        let subjects = vec![Subject { id: item.id.0, seq: item.seq }];
        Self { step: "", kind, subjects, reason, body: standing.and(numbers) }
    }

    /// Leaves out subjects for which something does not hold, where its kind does the same to each by itself; whether there is
    /// still a change to be made.
    pub(super) fn keep(&mut self, holds: impl Fn(&Subject) -> bool) -> bool {
        if !self.kind.rules().is_derived() {
            return self.subjects.iter().all(holds);
        }
        self.subjects.retain(holds);
        !self.subjects.is_empty()
    }

    /// Its first subject: the only one of most kinds.
    pub fn subject(&self) -> Subject {
        self.subjects.first().copied().unwrap_or(Subject { id: Uuid::nil(), seq: Seq(0) })
    }

    /// The id of the memory that it is about.
    pub fn memory_id(&self) -> MemoryId {
        MemoryId(self.subject().id)
    }

    /// The number of the memory that it is about.
    pub fn seq(&self) -> Seq {
        self.subject().seq
    }

    /// The tier of the memory, if the body says so.
    pub fn tier(&self) -> Option<Tier> {
        self.body.chosen(TIER, Tier::ALL)
    }

    /// The state of the memory before, if the body says so.
    pub fn state(&self) -> Option<MemoryState> {
        self.body.chosen(STATE, MemoryState::ALL)
    }

    /// The bytes of the memory, 0 if the body does not say.
    pub fn size_bytes(&self) -> u64 {
        self.body.count(BYTES)
    }

    /// The score of the memory, 0 if the body does not say.
    pub fn score(&self) -> f64 {
        self.body.real(SCORE)
    }

    /// What it says to people: a sentence with the numbers.
    pub fn explanation(&self) -> String {
        self.kind.rules().explain(self)
    }

    /// Bytes that it erases on the system's account: those that the daily cap is about.
    pub fn pruned_bytes(&self) -> u64 {
        let by_system = self.kind == Kind::Delete && self.state() != Some(MemoryState::Deleted);
        if by_system { self.size_bytes() } else { 0 }
    }
}

/// A decision as stored with its run.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedDecision {
    /// What was decided.
    pub decision: Change,
    /// The run.
    pub meditation_id: MeditationId,
    /// Position within the run, from 1; 0 for callers who reach only some memories.
    pub position: u64,
    /// When it was applied.
    pub decided_at: Timestamp,
}

impl RecordedDecision {
    /// What callers see of it who reach this memory and perhaps no other: neither its place in the run nor numbers that
    /// tell of the whole vault.
    pub(crate) fn about(&mut self, id: MemoryId) {
        self.position = 0;
        self.decision.subjects.retain(|subject| subject.id == id.0);
        self.decision.body.keep(&[TIER, STATE, BYTES, SCORE]);
    }

    /// What it says to people; empty where its numbers are kept back.
    pub fn explanation(&self) -> String {
        if self.position == 0 { String::new() } else { self.decision.explanation() }
    }
}
