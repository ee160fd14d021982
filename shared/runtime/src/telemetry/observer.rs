//! The domain's observer on OpenTelemetry, with the names of K-9.1.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::embedding::Embedding;
use kimberly_core::memory::Tier;
use kimberly_core::ports::{Clock, Observer};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter};

/// Buckets of latencies in seconds, from 50 us to 10 s.
pub(super) const SECONDS: [f64; 16] =
    [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0];
/// Buckets of shares of a quota.
const SHARES: [f64; 10] = [0.1, 0.25, 0.5, 0.75, 0.8, 0.9, 1.0, 1.1, 1.2, 1.25];

pub(super) struct OtelObserver {
    clock: Arc<dyn Clock>,
    created: Counter<u64>,
    deleted: Counter<u64>,
    archived: Counter<u64>,
    quota_usage: [Histogram<f64>; 3],
    quota_refused: Counter<u64>,
    last_run: Gauge<f64>,
    processed: Counter<u64>,
    pruned: Counter<u64>,
    latency: Histogram<f64>,
    results: Counter<u64>,
    semantic: Counter<u64>,
    precision: Gauge<f64>,
    storage_per_user: Gauge<f64>,
    embedding: Embedding,
    /// Per k: the number of helpful results, and of all judged results.
    judged: Mutex<BTreeMap<u8, (u64, u64)>>,
}

impl OtelObserver {
    pub(super) fn new(meter: &Meter, clock: Arc<dyn Clock>) -> Self {
        let counter = |name| meter.u64_counter(name).build();
        let usage = |name| meter.f64_histogram(name).with_boundaries(SHARES.to_vec()).build();
        Self {
            clock,
            created: counter("memory.items.created"),
            deleted: counter("memory.items.deleted"),
            archived: counter("memory.items.archived"),
            quota_usage: [
                usage("memory.quota.usage.short_term"),
                usage("memory.quota.usage.long_term"),
                usage("memory.quota.usage.permanent"),
            ],
            quota_refused: counter("memory.quota.refused"),
            last_run: meter.f64_gauge("memory.meditation.last_run").with_unit("s").build(),
            processed: counter("memory.meditation.processed"),
            pruned: counter("memory.meditation.pruned"),
            latency: meter.f64_histogram("retrieval.latency").with_unit("s").with_boundaries(SECONDS.to_vec()).build(),
            results: counter("retrieval.results"),
            semantic: counter("retrieval.semantic"),
            precision: meter.f64_gauge("retrieval.precision_at_k").build(),
            storage_per_user: meter.f64_gauge("monthly_storage_per_user").with_unit("By").build(),
            embedding: Embedding::new(meter),
            judged: Mutex::default(),
        }
    }
}

fn label(tier: Tier) -> [KeyValue; 1] {
    [KeyValue::new("tier", tier.name())]
}

impl Observer for OtelObserver {
    fn created(&self, tier: Tier, items: u64) {
        self.created.add(items, &label(tier));
    }

    fn deleted(&self, tier: Tier, items: u64) {
        self.deleted.add(items, &label(tier));
    }

    fn archived(&self, tier: Tier, items: u64) {
        self.archived.add(items, &label(tier));
    }

    fn quota_usage(&self, tier: Tier, share: f64) {
        self.quota_usage[tier as usize].record(share, &[]);
    }

    fn quota_refused(&self, tier: Tier) {
        self.quota_refused.add(1, &label(tier));
    }

    #[expect(clippy::cast_precision_loss, reason = "microseconds since 1970 stay below 2^53 until the year 2255")]
    fn meditated(&self, processed: u64, pruned: u64) {
        self.last_run.record(self.clock.now().0 as f64 / 1e6, &[]);
        self.processed.add(processed, &[]);
        self.pruned.add(pruned, &[]);
    }

    fn recalled(&self, seconds: f64, results: usize, semantic: &'static str) {
        self.latency.record(seconds, &[]);
        self.results.add(results as u64, &[]);
        self.semantic.add(1, &[KeyValue::new("status", semantic)]);
    }

    fn embedded(&self, texts: u64, seconds: f64, ok: bool) {
        self.embedding.called(texts, seconds, ok);
    }

    fn embedding_budget(&self, remaining: u64) {
        self.embedding.remaining.record(remaining, &[]);
    }

    fn vector_index(&self, memory_bytes: u64, disk_bytes: u64) {
        self.embedding.memory_bytes.record(memory_bytes, &[]);
        self.embedding.disk_bytes.record(disk_bytes, &[]);
    }

    #[expect(clippy::cast_precision_loss, reason = "an average needs no more than 53 bits")]
    fn stored(&self, users: u64, disk_bytes: u64) {
        if users > 0 {
            self.storage_per_user.record(disk_bytes as f64 / users as f64, &[]);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a ratio needs no more than 53 bits")]
    fn outcome(&self, helpful: u64, unhelpful: u64, k: u8) {
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let (good, all) = judged.entry(k).or_default();
        *good += helpful;
        *all += helpful + unhelpful;
        if *all > 0 {
            self.precision.record(*good as f64 / *all as f64, &[KeyValue::new("k", i64::from(k))]);
        }
    }
}
