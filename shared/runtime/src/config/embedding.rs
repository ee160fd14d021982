//! `[embedding]`: when vectors are computed and how many; applies if `embedder.model` is set.

use kimberly_core::bounds::{EMBEDDING_LIMIT, VECTOR_CAP};
use kimberly_core::embedding::{OverCap, Window};
use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Limits on embeddings, per user and in total.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingConfig {
    /// When vectors are computed, in UTC: a span such as "01:00-05:00", or "always".
    pub window: Window,
    /// Maximum vectors of a user; 1 to 1,000,000.
    pub vector_cap: u64,
    /// The treatment of users above that: "best" embeds marked and best-scored memories first, conversation turns last;
    /// "disable" turns embedding off for them until they need fewer.
    pub over_cap: OverCap,
    /// Vectors computed per user and day; 1 to 1,000,000,000, or 0 for no limit.
    pub daily_limit: u64,
    /// Vectors computed per user and week, from Monday; 1 to 1,000,000,000, or 0 for no limit.
    pub weekly_limit: u64,
    /// Vectors computed for all users per day; 1 to 1,000,000,000, or 0 for no limit.
    pub system_daily_budget: u64,
    /// Users embedded at once; they share batches. 1 to 256.
    pub concurrency: usize,
    /// Interval of sweeps for users without a job, which also run at start; 1 s to 1 d.
    pub sweep_interval: Period,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            window: Window::default(),
            vector_cap: 200,
            over_cap: OverCap::Best,
            daily_limit: 500,
            weekly_limit: 2_000,
            system_daily_budget: 0,
            concurrency: 16,
            sweep_interval: Period::seconds(15 * 60),
        }
    }
}

impl EmbeddingConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("embedding.vector_cap", self.vector_cap, VECTOR_CAP);
        problems.range("embedding.daily_limit", self.daily_limit, EMBEDDING_LIMIT);
        problems.range("embedding.weekly_limit", self.weekly_limit, EMBEDDING_LIMIT);
        problems.range("embedding.system_daily_budget", self.system_daily_budget, EMBEDDING_LIMIT);
        problems.range("embedding.concurrency", self.concurrency, 1..=256);
        problems.range("embedding.sweep_interval", self.sweep_interval, Period::seconds(1)..=Period::days(1));
    }
}
