//! Metrics as JSON.

use kimberly_proto::v1;
use serde_json::{Map, Value, json};

use super::{compact, time};
use crate::names;

/// Metrics of one user.
pub(crate) fn user_metrics(metrics: &v1::UserMetrics) -> Value {
    let tiers = metrics.tiers.iter().map(|tier| {
        json!({
            "tier": names::tier(tier.tier),
            "items": tier.items,
            "bytes": tier.bytes,
            "quota_bytes": tier.quota_bytes,
            "usage": tier.usage,
        })
    });
    let archive = metrics.archive.map(
        |archive| json!({"items": archive.items, "bytes": archive.bytes, "allowance_bytes": archive.allowance_bytes}),
    );
    compact(json!({
        "tiers": tiers.collect::<Vec<_>>(),
        "archive": archive,
        "last_meditation": time(metrics.last_meditation.as_ref()),
        "next_meditation": time(metrics.next_meditation.as_ref()),
        "disk_bytes": metrics.disk_bytes,
        "sqlite_index_bytes": metrics.sqlite_index_bytes,
        "vector_index_bytes": metrics.vector_index_bytes,
        "embedding_enabled": metrics.embedding_enabled,
        "items_created": metrics.items_created,
        "items_deleted": metrics.items_deleted,
        "items_archived": metrics.items_archived,
        "embedding": metrics.embedding.as_ref().map(embedding_status),
        "attachments": metrics.attachments.map(|of| json!({
            "items": of.items,
            "bytes": of.bytes,
            "allowance_bytes": of.allowance_bytes,
            "stored_bytes": of.stored_bytes,
        })),
    }))
}

/// How a user's vectors stand.
pub(crate) fn embedding_status(status: &v1::EmbeddingStatus) -> Value {
    compact(json!({
        "state": names::embedding_state(status.state),
        "reason": status.reason,
        "model": status.model,
        "dimension": status.dimension,
        "items": status.items,
        "vectors": status.vectors,
        "needed_vectors": status.needed_vectors,
        "missing_vectors": status.missing_vectors,
        "failed_items": status.failed_items,
        "vector_cap": status.vector_cap,
        "computed_today": status.computed_today,
        "daily_limit": status.daily_limit,
        "computed_this_week": status.computed_this_week,
        "weekly_limit": status.weekly_limit,
        "window": status.window,
        "next_run": time(status.next_run.as_ref()),
        "last_run": time(status.last_run.as_ref()),
        "index_bytes": status.index_bytes,
    }))
}

/// Metrics of the system.
pub(crate) fn system_metrics(metrics: &v1::SystemMetrics) -> Value {
    let queue = |queue: v1::QueueMetrics| {
        json!({
            "pending": queue.pending,
            "running": queue.running,
            "dead": queue.dead,
            "oldest_pending_seconds": queue.oldest_pending_seconds,
        })
    };
    let named: Map<String, Value> =
        metrics.metrics.iter().map(|metric| (metric.name.clone(), json!(metric.value))).collect();
    compact(json!({
        "users": metrics.users,
        "disk_bytes": metrics.disk_bytes,
        "queue": metrics.queue.map(queue),
        "embedding_queue": metrics.embedding_queue.map(queue),
        "embeddings_computed_today": metrics.embeddings_computed_today,
        "embedding_daily_budget": metrics.embedding_daily_budget,
        "embedding_enabled": metrics.embedding_enabled,
        "open_vaults": metrics.open_vaults,
        "metrics": named,
        "warnings": metrics.warnings,
        "version": metrics.version,
    }))
}
