//! `[retention]`: when memories are archived and erased, unless the user's own settings override it.

use kimberly_core::bounds::MAX_PRUNE_CAP_BYTES;
use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Retention per user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// How long an archived or deleted memory can be rescued; 0 to 3,650 d.
    pub grace: Period,
    /// Maximum bytes per user that the system erases per day; 0 to 1 TiB, 0 stops erasing.
    pub daily_prune_cap: Bytes,
    /// Time between scheduled meditations; 1 h to 365 d.
    pub meditation_interval: Period,
    /// How long a short-term memory lives; 1 m to 365 d.
    pub short_term_lifetime: Period,
    /// After its grace, a memory is erased only if its score is below this; 0 to 1.
    pub low_score: f64,
}

impl Default for RetentionConfig {
    fn default() -> Self {
        Self {
            grace: Period::days(30),
            daily_prune_cap: Bytes(1 << 20),
            meditation_interval: Period::days(7),
            short_term_lifetime: Period::days(1),
            low_score: 0.5,
        }
    }
}

impl RetentionConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        let hour = Period::seconds(3_600);
        problems.range("retention.grace", self.grace, Period::seconds(0)..=Period::days(3_650));
        problems.range("retention.daily_prune_cap", self.daily_prune_cap, Bytes(0)..=Bytes(MAX_PRUNE_CAP_BYTES));
        problems.range("retention.meditation_interval", self.meditation_interval, hour..=Period::days(365));
        let lifetime = Period::seconds(60)..=Period::days(365);
        problems.range("retention.short_term_lifetime", self.short_term_lifetime, lifetime);
        problems.range("retention.low_score", self.low_score, 0.0..=1.0);
    }
}
