//! Meditations and their decisions as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, time};
use crate::names;

/// A run.
pub(crate) fn meditation(run: &v1::Meditation) -> Value {
    compact(json!({
        "id": run.id,
        "user_id": run.user_id,
        "status": names::meditation_status(run.status),
        "trigger": names::trigger(run.trigger),
        "dry_run": run.dry_run,
        "full": run.full,
        "processed": run.processed,
        "archived": run.archived,
        "pruned": run.pruned,
        "archived_bytes": run.archived_bytes,
        "pruned_bytes": run.pruned_bytes,
        "created_at": time(run.created_at.as_ref()),
        "started_at": time(run.started_at.as_ref()),
        "finished_at": time(run.finished_at.as_ref()),
        "as_of": time(run.as_of.as_ref()),
        "error": run.error,
        "tiers": run.tiers.iter().map(tier).collect::<Vec<_>>(),
        "scoring_version": run.scoring_version,
    }))
}

fn tier(tier: &v1::TierSummary) -> Value {
    json!({
        "tier": names::tier(tier.tier),
        "bytes_before": tier.bytes_before,
        "bytes_after": tier.bytes_after,
        "quota_bytes": tier.quota_bytes,
        "archived": tier.archived,
        "deleted": tier.deleted,
    })
}

/// A decision.
pub(crate) fn decision(decision: &v1::Decision) -> Value {
    compact(json!({
        "memory_id": decision.memory_id,
        "action": names::action(decision.action),
        "reason": names::reason(decision.reason),
        "explanation": decision.explanation,
        "tier": names::tier(decision.tier),
        "size_bytes": decision.size_bytes,
        "score": decision.score,
        "meditation_id": decision.meditation_id,
        "position": decision.position,
        "decided_at": time(decision.decided_at.as_ref()),
    }))
}
