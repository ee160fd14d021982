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
    }))
}

/// Metrics of the system.
pub(crate) fn system_metrics(metrics: &v1::SystemMetrics) -> Value {
    let queue = metrics.queue.map(|queue| {
        json!({
            "pending": queue.pending,
            "running": queue.running,
            "dead": queue.dead,
            "oldest_pending_seconds": queue.oldest_pending_seconds,
        })
    });
    let named: Map<String, Value> =
        metrics.metrics.iter().map(|metric| (metric.name.clone(), json!(metric.value))).collect();
    compact(json!({
        "users": metrics.users,
        "disk_bytes": metrics.disk_bytes,
        "queue": queue,
        "embedding_enabled": metrics.embedding_enabled,
        "open_vaults": metrics.open_vaults,
        "metrics": named,
        "warnings": metrics.warnings,
        "version": metrics.version,
    }))
}
