//! Converts records, which are memories with all data stored about them: to the contract in exports, from it in imports.

use kimberly_core::bounds::MAX_CONFIDENCE_HISTORY;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{Belief, ConfidenceChange, ConfidenceReason, Memory, MemoryRecord, MemoryState};
use kimberly_core::scoring::{ScoreRecord, Signals, Weights};
use kimberly_core::{Error, GoalId, MemoryId, Result, Timestamp, UserId};
use kimberly_proto::v1;

use super::problems::{Problems, required};
use super::{enums, int64, memory, past, time};

/// Converts a record to the contract. Fails only if stored data is damaged.
pub fn to_wire(user: &UserId, record: MemoryRecord) -> Result<v1::MemoryRecord> {
    let (versions, endings) = past::to_wire(record.past)?;
    Ok(v1::MemoryRecord {
        memory: Some(memory::memory(user, record.memory)?),
        helpful_count: int64(record.helpful),
        unhelpful_count: int64(record.unhelpful),
        score_explanation: record.score.map(memory::score_explanation),
        was_archived: record.was_archived,
        was_deleted: record.was_deleted,
        versions,
        endings,
    })
}

/// Converts a record from the contract. `path` is its path in the request. The domain checks the bounds, and recomputes
/// the data that is derived from the content.
pub fn from_wire(path: &str, raw: v1::MemoryRecord) -> Result<MemoryRecord> {
    let mut problems = Problems::default();
    let memory = required(&format!("{path}.memory"), raw.memory).and_then(|raw| stored(&format!("{path}.memory"), raw));
    let memory = problems.absorb(memory);
    let score = raw.score_explanation.map(|raw| score_record(&format!("{path}.score_explanation"), raw)).transpose();
    let score = problems.absorb(score).flatten();
    let helpful = problems.take(&format!("{path}.helpful_count"), count(raw.helpful_count));
    let unhelpful = problems.take(&format!("{path}.unhelpful_count"), count(raw.unhelpful_count));
    let (was_archived, was_deleted) = (raw.was_archived, raw.was_deleted);
    let past = problems.absorb(past::from_wire(path, raw.versions, raw.endings)).unwrap_or_default();
    let incomplete = || Error::invalid(path, "is incomplete");
    let memory = problems.finish(memory)?.ok_or_else(incomplete)?;
    Ok(MemoryRecord { memory, helpful, unhelpful, score, was_archived, was_deleted, past })
}

fn stored(path: &str, mut raw: v1::Memory) -> Result<Memory> {
    let mut problems = Problems::default();
    let at = |field: &str| format!("{path}.{field}");
    let created_at = problems.take(&at("created_at"), set_time(raw.created_at));
    let mut optional = |field: &str, raw| problems.take(&at(field), time::optional_timestamp(raw));
    let (updated_at, last_seen_at) =
        (optional("updated_at", raw.updated_at), optional("last_seen_at", raw.last_seen_at));
    let (archived_at, delete_after) =
        (optional("archived_at", raw.archived_at), optional("delete_after", raw.delete_after));
    let state: Option<MemoryState> = problems.take(&at("state"), enums::optional(raw.state));
    let id = problems.absorb(MemoryId::parse(&at("id"), &raw.id)).unwrap_or(MemoryId(uuid::Uuid::nil()));
    let draft = problems.absorb(memory::draft(path, Some(memory::draft_of(&mut raw)))).unwrap_or_default();
    let created = Memory::new(id, Seq(0), draft, created_at);
    let belief = belief(path, &mut raw, created.belief.confidence, &mut problems);
    let memory = Memory {
        belief,
        score: raw.score,
        updated_at: updated_at.unwrap_or(created_at),
        last_seen_at: last_seen_at.unwrap_or(created_at),
        access_count: problems.take(&at("access_count"), count(raw.access_count)),
        revision: problems.take(&at("etag"), revision(&raw.etag)),
        schema_version: raw.schema_version,
        state: state.unwrap_or_default(),
        archived_at,
        delete_after,
        withheld: raw.withheld,
        ..created
    };
    problems.finish(memory)
}

/// Converts the belief that the record states. A missing confidence is that of a new memory.
fn belief(path: &str, raw: &mut v1::Memory, as_new: f64, problems: &mut Problems) -> Belief {
    let at = |field: &str| format!("{path}.{field}");
    let mut history = Vec::with_capacity(raw.confidence_history.len().min(MAX_CONFIDENCE_HISTORY));
    for (index, change) in raw.confidence_history.iter().enumerate() {
        let changed_at =
            problems.take(&at(&format!("confidence_history[{index}].changed_at")), set_time(change.changed_at));
        let reason = enums::optional(change.reason);
        let reason = problems.take(&at(&format!("confidence_history[{index}].reason")), reason);
        let reason = reason.unwrap_or(ConfidenceReason::Written);
        history.push(ConfidenceChange { changed_at, confidence: change.confidence, reason });
    }
    let verified = time::optional_timestamp(raw.last_verified_at);
    let stale = time::optional_timestamp(raw.stale_since);
    Belief {
        confidence: raw.confidence.unwrap_or(as_new),
        last_verified_at: problems.take(&at("last_verified_at"), verified),
        verification_count: problems.take(&at("verification_count"), count(raw.verification_count)),
        stale_since: problems.take(&at("stale_since"), stale),
        history,
        author: std::mem::take(&mut raw.author),
    }
}

fn score_record(path: &str, raw: v1::ScoreExplanation) -> Result<ScoreRecord> {
    let mut problems = Problems::default();
    let weights = raw.weights.unwrap_or_default();
    let best_goal = Some(raw.best_goal_id).filter(|id| !id.is_empty());
    let best_goal = best_goal.map(|id| GoalId::parse(&format!("{path}.best_goal_id"), &id)).transpose();
    let record = ScoreRecord {
        version: raw.scoring_version,
        scored_at: problems.take(&format!("{path}.scored_at"), set_time(raw.scored_at)),
        score: raw.score,
        signals: Signals {
            relevance_to_goals: raw.relevance_to_goals,
            emotional_weight: raw.emotional_weight,
            predictive_value: raw.predictive_value,
            recency_freq: raw.recency_freq,
        },
        weights: Weights::new([
            weights.relevance_to_goals,
            weights.emotional_weight,
            weights.predictive_value,
            weights.recency_freq,
        ]),
        inputs: raw.inputs.into_iter().collect(),
        best_goal: problems.absorb(best_goal).flatten(),
    };
    problems.finish(record)
}

fn set_time(raw: Option<prost_types::Timestamp>) -> Result<Timestamp, String> {
    time::optional_timestamp(raw)?.ok_or_else(|| "is required".to_owned())
}

fn count(raw: i64) -> Result<u64, String> {
    u64::try_from(raw).map_err(|_| format!("is {raw}; 0 or more is allowed"))
}

/// Parses an etag as Kimberly writes it: a number from 1, without a sign or leading zeros.
pub(super) fn revision(etag: &str) -> Result<u64, String> {
    let number: Option<u64> = etag.parse().ok().filter(|number: &u64| *number > 0 && number.to_string() == etag);
    number.ok_or_else(|| "must be a whole number, 1 or more; leave it as it was exported".to_owned())
}

#[cfg(test)]
mod tests;
