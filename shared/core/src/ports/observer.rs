//! The events that the domain reports to telemetry. Never contains user ids or text.

use crate::memory::Tier;

/// Counts events under the names of K-9.1. `runtime` implements it with OpenTelemetry.
pub trait Observer: Send + Sync {
    /// `memory.items.created`
    fn created(&self, tier: Tier, items: u64);
    /// `memory.items.deleted`: by callers or by the system.
    fn deleted(&self, tier: Tier, items: u64);
    /// `memory.items.archived`
    fn archived(&self, tier: Tier, items: u64);
    /// `memory.quota.usage.<tier>`: share of its quota that one user's tier uses after a write, for the histogram.
    fn quota_usage(&self, tier: Tier, share: f64);
    /// A write was refused because of its quota.
    fn quota_refused(&self, tier: Tier);
    /// `memory.meditation.{last_run,processed,pruned}`
    fn meditated(&self, processed: u64, pruned: u64);
    /// `retrieval.latency`: duration of one query inside the process, in seconds; and `retrieval.semantic`: whether
    /// vectors took part, named as in `SemanticStatus`.
    fn recalled(&self, seconds: f64, results: usize, semantic: &'static str);
    /// `retrieval.precision_at_k`: the share of reported memories that helped, by the number requested, 1-100.
    fn outcome(&self, helpful: u64, unhelpful: u64, k: u8);
    /// `embedding.calls.{total,failed,avg_latency}`: one call of the model with this many texts, in seconds.
    fn embedded(&self, texts: u64, seconds: f64, ok: bool);
    /// `embedding.budget.remaining_per_user`: vectors that may still be computed for one user today, after a sync.
    fn embedding_budget(&self, remaining: u64);
    /// `vector_index.{memory_bytes,disk_bytes}`: size of the indices of all users.
    fn vector_index(&self, memory_bytes: u64, disk_bytes: u64);
    /// `monthly_storage_per_user`: size of the whole data folder and the number of users; not reported without users.
    fn stored(&self, users: u64, disk_bytes: u64);
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn created(&self, _: Tier, _: u64) {}
    fn deleted(&self, _: Tier, _: u64) {}
    fn archived(&self, _: Tier, _: u64) {}
    fn quota_usage(&self, _: Tier, _: f64) {}
    fn quota_refused(&self, _: Tier) {}
    fn meditated(&self, _: u64, _: u64) {}
    fn recalled(&self, _: f64, _: usize, _: &'static str) {}
    fn outcome(&self, _: u64, _: u64, _: u8) {}
    fn embedded(&self, _: u64, _: f64, _: bool) {}
    fn embedding_budget(&self, _: u64) {}
    fn vector_index(&self, _: u64, _: u64) {}
    fn stored(&self, _: u64, _: u64) {}
}
