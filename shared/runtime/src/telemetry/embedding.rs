//! Metrics of embeddings, with the names of K-9.1. They are zero while embeddings are off, so that dashboards find
//! them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use opentelemetry::metrics::{Counter, Gauge, Histogram, Meter};

/// Buckets of the remaining vectors of a user.
const VECTORS: [f64; 8] = [0.0, 10.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 10_000.0];

pub(super) struct Embedding {
    total: Counter<u64>,
    failed: Counter<u64>,
    texts: Counter<u64>,
    latency: Gauge<f64>,
    pub(super) remaining: Histogram<u64>,
    pub(super) memory_bytes: Gauge<u64>,
    pub(super) disk_bytes: Gauge<u64>,
    calls: AtomicU64,
    micros: AtomicU64,
}

impl Embedding {
    pub(super) fn new(meter: &Meter) -> Self {
        let counter = |name| {
            let counter = meter.u64_counter(name).build();
            counter.add(0, &[]);
            counter
        };
        let gauge = |name| {
            let gauge = meter.u64_gauge(name).with_unit("By").build();
            gauge.record(0, &[]);
            gauge
        };
        let remaining = meter.u64_histogram("embedding.budget.remaining_per_user").with_boundaries(VECTORS.to_vec());
        Self {
            total: counter("embedding.calls.total"),
            failed: counter("embedding.calls.failed"),
            texts: counter("embedding.texts"),
            latency: meter.f64_gauge("embedding.calls.avg_latency").with_unit("s").build(),
            remaining: remaining.build(),
            memory_bytes: gauge("vector_index.memory_bytes"),
            disk_bytes: gauge("vector_index.disk_bytes"),
            calls: AtomicU64::new(0),
            micros: AtomicU64::new(0),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an average of durations, which are never negative"
    )]
    pub(super) fn called(&self, texts: u64, seconds: f64, ok: bool) {
        self.total.add(1, &[]);
        self.failed.add(u64::from(!ok), &[]);
        self.texts.add(texts, &[]);
        let micros = (seconds * 1e6) as u64;
        let calls = self.calls.fetch_add(1, Relaxed) + 1;
        let sum = self.micros.fetch_add(micros, Relaxed) + micros;
        self.latency.record(sum as f64 / calls as f64 / 1e6, &[]);
    }
}
