//! Metrics of the lanes.

use std::time::Duration;

use kimberly_runtime::Metrics;

use super::lane::Lane;

/// Records to the metrics of the process, or discards.
#[derive(Clone, Debug, Default)]
pub struct Meter(Option<Metrics>);

impl Meter {
    /// Records to these metrics.
    pub const fn of(metrics: Metrics) -> Self {
        Self(Some(metrics))
    }

    /// Records how long a model took to open.
    pub(crate) fn opened(&self, took: Duration) {
        if let Some(metrics) = &self.0 {
            metrics.set("embedding.model.load_seconds", took.as_secs_f64());
        }
    }

    /// Records how many texts wait in a lane.
    #[expect(clippy::cast_precision_loss, reason = "lanes are bounded far below 2^52")]
    pub(super) fn waits(&self, lane: Lane, texts: usize) {
        if let Some(metrics) = &self.0 {
            let name = match lane {
                Lane::Query => "embedding.queue.queries",
                Lane::Bulk => "embedding.queue.bulk",
            };
            metrics.set(name, texts as f64);
        }
    }

    /// Records a batch.
    pub(super) fn computed(&self, texts: usize, tokens: usize, took: Duration) {
        if let Some(metrics) = &self.0 {
            metrics.add("embedding.model.texts", u64::try_from(texts).unwrap_or(u64::MAX));
            metrics.add("embedding.model.tokens", u64::try_from(tokens).unwrap_or(u64::MAX));
            metrics.record_seconds("embedding.model.batch_time", took.as_secs_f64());
        }
    }

    /// Counts texts without vectors.
    pub(super) fn failed(&self, texts: usize) {
        if let Some(metrics) = &self.0 {
            metrics.add("embedding.model.failed", u64::try_from(texts).unwrap_or(u64::MAX));
        }
    }
}
