//! A memory with all data stored about it, for export and import, and its bounds on import: nothing that a caller
//! sends is trusted, even if Kimberly once wrote it.

use super::label::label_problem;
use super::{DraftLimits, Memory, MemoryDraft, MemoryState, Past, SCHEMA_VERSION, size_bytes};
use crate::bounds::{CLOCK_SKEW, GRACE, MAX_AUTHOR_BYTES, MAX_CONFIDENCE_HISTORY, MAX_RECORD_COUNT, MAX_RECORD_INPUT};
use crate::error::{Error, FieldViolation, Result};
use crate::scoring::{ScoreRecord, is_input, is_version};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// A memory with all data stored about it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryRecord {
    /// The memory.
    pub memory: Memory,
    /// Number of reports that it helped.
    pub helpful: u64,
    /// Number of reports that it did not help.
    pub unhelpful: u64,
    /// The explanation of its score; `None` if it was never scored.
    pub score: Option<ScoreRecord>,
    /// Whether it was ever archived.
    pub was_archived: bool,
    /// Whether it was ever deleted.
    pub was_deleted: bool,
    /// Its history, as far as requested.
    pub past: Past,
}

impl MemoryRecord {
    /// Normalizes and checks the record like [`MemoryDraft::normalized`](super::MemoryDraft::normalized), and
    /// recomputes values derived from the content. Times may be at most a day later than `now`.
    pub fn checked(mut self, path: &str, limits: DraftLimits, now: Timestamp) -> Result<Self> {
        let memory = &mut self.memory;
        let mut violations = Vec::new();
        match std::mem::take(&mut memory.draft).normalized(&format!("{path}.memory"), limits) {
            Ok(draft) => memory.draft = draft,
            Err(Error::Invalid(found)) => violations = found,
            Err(other) => return Err(other),
        }
        if memory.draft.occurred_at == Some(memory.created_at) {
            memory.draft.occurred_at = None;
        }
        check_memory(memory, now, &mut |field, problem| {
            violations.push(FieldViolation::new(format!("{path}.memory.{field}"), problem));
        });
        for (field, value) in [("helpful_count", self.helpful), ("unhelpful_count", self.unhelpful)] {
            if let Some(problem) = count_problem(value) {
                violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
            }
        }
        self.past.check(path, memory, (limits, now.plus(CLOCK_SKEW)), &mut violations);
        if let Some(score) = &self.score {
            check_score(score, &mut |field, problem| {
                violations.push(FieldViolation::new(format!("{path}.score_explanation.{field}"), problem));
            });
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        memory.size_bytes = size_bytes(&memory.draft);
        // The stored confidence is in the belief; the draft's is input only.
        memory.draft.confidence = None;
        memory.sentiment = memory.draft.sentiment();
        memory.traits = TextTraits::of(&memory.draft.content);
        self.was_archived |= memory.state == MemoryState::Archived;
        self.was_deleted |= memory.state == MemoryState::Deleted;
        // Rounded as in storage, so that importing it again compares as equal.
        self.score = self.score.map(|score| ScoreRecord::from_compact(&score.to_compact())).transpose()?;
        Ok(self)
    }

    /// Reports whether both records say the same about the same memory. Ignores vault-internal numbers, values derived
    /// from the content or from consent records, whether an event time equal to the creation time is set, and the
    /// history.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let same_time = self.memory.occurred_at() == other.memory.occurred_at();
        let occurred_at = if same_time { other.memory.draft.occurred_at } else { self.memory.draft.occurred_at };
        let memory = Memory {
            draft: MemoryDraft {
                occurred_at,
                consent: self.memory.draft.consent || other.memory.draft.consent_id.is_some(),
                consent_id: self.memory.draft.consent_id.or(other.memory.draft.consent_id),
                ..self.memory.draft.clone()
            },
            withheld: other.memory.withheld,
            seq: other.memory.seq,
            size_bytes: other.memory.size_bytes,
            sentiment: other.memory.sentiment,
            traits: other.memory.traits,
            ..self.memory.clone()
        };
        Self { memory, past: other.past.clone(), ..self.clone() } == *other
    }
}

fn check_memory(memory: &Memory, now: Timestamp, bad: &mut impl FnMut(&str, String)) {
    if memory.id.0.get_version_num() != 7 {
        bad("id", "is not a UUID version 7, as Kimberly creates them".to_owned());
    }
    if !(0.0..=1.0).contains(&memory.score) {
        bad("score", format!("is {}; 0 to 1 is allowed", memory.score));
    }
    if !(1..=MAX_RECORD_COUNT).contains(&memory.revision) {
        bad("etag", format!("must be a whole number from 1 to {MAX_RECORD_COUNT}; leave it as it was exported"));
    }
    if let Some(problem) = count_problem(memory.access_count) {
        bad("access_count", problem);
    }
    if !(1..=SCHEMA_VERSION).contains(&memory.schema_version) {
        let problem = format!("is {}; this build knows 1 to {SCHEMA_VERSION}: upgrade it first", memory.schema_version);
        bad("schema_version", problem);
    }
    let latest = now.plus(CLOCK_SKEW);
    let mut not_ahead = |field: &str, at: Option<Timestamp>| {
        if at.is_some_and(|at| at > latest) {
            bad(field, "is in the future; check the clocks of both machines".to_owned());
        }
    };
    not_ahead("created_at", Some(memory.created_at));
    not_ahead("updated_at", Some(memory.updated_at));
    not_ahead("last_seen_at", Some(memory.last_seen_at));
    not_ahead("archived_at", memory.archived_at);
    not_ahead("last_verified_at", memory.belief.last_verified_at);
    not_ahead("stale_since", memory.belief.stale_since);
    check_belief(memory, latest, bad);
    check_state(memory, now, bad);
}

fn check_belief(memory: &Memory, latest: Timestamp, bad: &mut impl FnMut(&str, String)) {
    let belief = &memory.belief;
    if !(0.0..=1.0).contains(&belief.confidence) {
        bad("confidence", format!("is {}; 0 to 1 is allowed", belief.confidence));
    }
    if let Some(problem) = count_problem(belief.verification_count) {
        bad("verification_count", problem);
    }
    if let Some(problem) = label_problem(&belief.author, MAX_AUTHOR_BYTES).filter(|_| !belief.author.is_empty()) {
        bad("author", problem);
    }
    let has = belief.history.len();
    if has > MAX_CONFIDENCE_HISTORY {
        bad("confidence_history", format!("has {has} entries; at most {MAX_CONFIDENCE_HISTORY} are allowed"));
    }
    for (index, change) in belief.history.iter().enumerate().take(MAX_CONFIDENCE_HISTORY) {
        if !(0.0..=1.0).contains(&change.confidence) {
            let problem = format!("is {}; 0 to 1 is allowed", change.confidence);
            bad(&format!("confidence_history[{index}].confidence"), problem);
        }
        if change.changed_at > latest {
            let problem = "is in the future; check the clocks of both machines".to_owned();
            bad(&format!("confidence_history[{index}].changed_at"), problem);
        }
    }
}

/// Counts may still grow and be summed, so they must stay within what storage can hold.
fn count_problem(count: u64) -> Option<String> {
    (count > MAX_RECORD_COUNT).then(|| format!("is {count}; at most {MAX_RECORD_COUNT} is allowed"))
}

/// An active memory has no end of grace; any other has one and the time when it was archived or deleted.
fn check_state(memory: &Memory, now: Timestamp, bad: &mut impl FnMut(&str, String)) {
    let state = memory.state;
    let active = state == MemoryState::Active;
    for (field, at) in [("archived_at", memory.archived_at), ("delete_after", memory.delete_after)] {
        if at.is_some() == active {
            bad(field, format!("must be {} of a memory that is {state}", if active { "unset" } else { "set" }));
        }
    }
    if memory.archived_at.zip(memory.delete_after).is_some_and(|(from, to)| to < from) {
        bad("delete_after", "is before archived_at".to_owned());
    }
    let last = now.plus(*GRACE.end()).plus(CLOCK_SKEW);
    if memory.delete_after.is_some_and(|end| end > last) {
        bad("delete_after", "must be at most 10 years from now, the longest grace window".to_owned());
    }
}

fn check_score(score: &ScoreRecord, bad: &mut impl FnMut(&str, String)) {
    if !is_version(&score.version) {
        bad("scoring_version", "must be \"scoring/v\" and a number, such as \"scoring/v1\"".to_owned());
    }
    let signals = &score.signals;
    let shares = [
        ("score", score.score),
        ("relevance_to_goals", signals.relevance_to_goals),
        ("emotional_weight", signals.emotional_weight),
        ("predictive_value", signals.predictive_value),
        ("recency_freq", signals.recency_freq),
        ("weights.relevance_to_goals", score.weights.relevance_to_goals),
        ("weights.emotional_weight", score.weights.emotional_weight),
        ("weights.predictive_value", score.weights.predictive_value),
        ("weights.recency_freq", score.weights.recency_freq),
    ];
    for (field, value) in shares {
        if !(0.0..=1.0).contains(&value) {
            bad(field, format!("is {value}; 0 to 1 is allowed"));
        }
    }
    // Only known names: free ones could store data outside the quota.
    if !score.inputs.keys().all(|name| is_input(name)) {
        bad("inputs", "holds an unknown score input; leave the inputs as they were exported".to_owned());
    }
    if !score.inputs.values().all(|value| value.abs() <= MAX_RECORD_INPUT) {
        bad("inputs", format!("holds a value that is not a number from -{MAX_RECORD_INPUT:e} to {MAX_RECORD_INPUT:e}"));
    }
}

#[cfg(test)]
mod tests;
