//! Converts metrics to the contract.

use kimberly_core::memory::{MemoryState, Tier};
use kimberly_core::usecases::{SystemMetrics, UserMetrics};
use kimberly_proto::v1;

use super::enums::WireEnum as _;
use super::{int64, time};

/// The published name of the metric for an average user's disk usage.
const STORAGE_PER_USER: &str = "monthly_storage_per_user";

/// Converts the metrics of a user to the contract.
pub fn user(metrics: &UserMetrics) -> v1::UserMetrics {
    let archive = metrics.usage.archive();
    v1::UserMetrics {
        tiers: Tier::ALL.iter().map(|&tier| tier_usage(metrics, tier)).collect(),
        archive: Some(v1::ArchiveUsage {
            items: int64(archive.items),
            bytes: int64(archive.bytes),
            allowance_bytes: int64(metrics.settings.archive_allowance.value),
            version_bytes: int64(metrics.version_bytes),
        }),
        last_meditation: metrics.last_meditation.map(time::wire_timestamp),
        next_meditation: metrics.next_meditation.map(time::wire_timestamp),
        disk_bytes: int64(metrics.sizes.disk_bytes),
        sqlite_index_bytes: int64(metrics.sizes.index_bytes),
        vector_index_bytes: int64(metrics.embedding.index.as_ref().map_or(0, |index| index.disk_bytes)),
        embedding_enabled: metrics.embedding.is_on(),
        items_created: int64(metrics.usage.created),
        items_deleted: int64(metrics.usage.deleted),
        items_archived: int64(metrics.usage.archived),
        embedding: Some(super::embedding::status(&metrics.embedding)),
        attachments: Some(v1::AttachmentUsage {
            items: int64(metrics.attachments.items),
            bytes: int64(metrics.attachments.bytes),
            allowance_bytes: int64(metrics.attachment_allowance),
            stored_bytes: int64(metrics.attachments.stored_bytes),
        }),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn tier_usage(metrics: &UserMetrics, tier: Tier) -> v1::TierUsage {
    let held = metrics.usage.count(tier, MemoryState::Active);
    let quota = metrics.settings.quota(tier);
    v1::TierUsage {
        tier: tier.number(),
        items: int64(held.items),
        bytes: int64(held.bytes),
        quota_bytes: int64(quota),
        usage: if quota == 0 { 0.0 } else { held.bytes as f64 / quota as f64 },
    }
}

/// Converts the metrics of the system to the contract.
pub fn system(
    metrics: SystemMetrics,
    (queue, embedding_queue): (v1::QueueMetrics, Option<v1::QueueMetrics>),
    mut published: Vec<(String, f64)>,
    version: &str,
) -> v1::SystemMetrics {
    // Measured now, since the worker, which publishes this metric, is another process.
    published.extend(metrics.storage_per_user().map(|bytes| (STORAGE_PER_USER.to_owned(), bytes)));
    published.sort_by(|a, b| a.0.cmp(&b.0));
    v1::SystemMetrics {
        users: int64(metrics.users),
        disk_bytes: int64(metrics.disk_bytes),
        queue: Some(queue),
        embedding_enabled: metrics.embedding_on,
        embedding_queue,
        embeddings_computed_today: int64(metrics.embedded_today),
        embedding_daily_budget: int64(metrics.embedding_daily_budget),
        open_vaults: int64(metrics.open_vaults),
        metrics: published.into_iter().map(|(name, value)| v1::NamedMetric { name, value }).collect(),
        warnings: metrics.warnings,
        version: version.to_owned(),
    }
}
