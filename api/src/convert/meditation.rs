//! Converts runs and their decisions to the contract.

use kimberly_core::meditation::{Change, Meditation, RecordedDecision, TierSummary};
use kimberly_core::{MemoryId, Timestamp, UserId};
use kimberly_proto::v1;

use super::enums::WireEnum;
use super::{int64, time};

/// Converts a run to the contract.
pub fn meditation(user: &UserId, run: Meditation) -> v1::Meditation {
    v1::Meditation {
        id: run.id.to_string(),
        user_id: user.as_str().to_owned(),
        status: run.status.number(),
        trigger: run.trigger.number(),
        dry_run: false,
        full: run.full,
        processed: int64(run.processed),
        archived: int64(run.archived),
        pruned: int64(run.pruned),
        archived_bytes: int64(run.archived_bytes),
        pruned_bytes: int64(run.pruned_bytes),
        created_at: Some(time::wire_timestamp(run.created_at)),
        started_at: run.started_at.map(time::wire_timestamp),
        finished_at: run.finished_at.map(time::wire_timestamp),
        as_of: Some(time::wire_timestamp(run.as_of)),
        error: run.error.unwrap_or_default(),
        tiers: run.tiers.into_iter().map(tier_summary).collect(),
        scoring_version: run.scoring_version,
        steps: run.steps,
        asked_steps: run.asked.steps,
        asked_ids: run.asked.ids.iter().map(ToString::to_string).collect(),
    }
}

fn tier_summary(summary: TierSummary) -> v1::TierSummary {
    v1::TierSummary {
        tier: summary.tier.number(),
        bytes_before: int64(summary.bytes_before),
        bytes_after: int64(summary.bytes_after),
        quota_bytes: int64(summary.quota_bytes),
        archived: int64(summary.archived),
        deleted: int64(summary.deleted),
    }
}

/// Converts an applied decision to the contract.
pub fn recorded(recorded: &RecordedDecision) -> v1::Decision {
    let explanation = recorded.explanation();
    let run = recorded.meditation_id.to_string();
    let told = decision(&recorded.decision, run, recorded.position, recorded.decided_at);
    v1::Decision { explanation, ..told }
}

/// Converts a decision to the contract. A decision of a dry run has no run id.
pub fn decision(decision: &Change, meditation_id: String, position: u64, at: Timestamp) -> v1::Decision {
    let further = decision.subjects.iter().skip(1);
    v1::Decision {
        memory_id: decision.memory_id().to_string(),
        action: decision.kind.number(),
        reason: decision.reason.number(),
        explanation: decision.explanation(),
        tier: decision.tier().map_or(0, WireEnum::number),
        size_bytes: int64(decision.size_bytes()),
        score: decision.score(),
        meditation_id,
        position: int64(position),
        decided_at: Some(time::wire_timestamp(at)),
        step: decision.step.to_owned(),
        further_ids: further.map(|subject| MemoryId(subject.id).to_string()).collect(),
    }
}
