//! `[compacting]`: when the oldest turns of a session become a summary.

use kimberly_core::settings::CompactingDefaults;
use serde::{Deserialize, Serialize};

use super::Problems;

/// Settings of compacting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompactingConfig {
    /// Whether sessions are compacted by themselves. They are on request anyway.
    pub enabled: bool,
    /// Turns of a summary, 5 to 100. It is made once a session has so many and those that stay.
    pub batch: usize,
    /// The newest turns of a session, which stay as they are, 1 to 100.
    pub keep: usize,
    /// Summaries of a session, beyond which the oldest are summarized again, 2 to 20.
    pub snapshots: usize,
}

impl Default for CompactingConfig {
    fn default() -> Self {
        let CompactingDefaults { on, batch, keep, snapshots } = CompactingDefaults::default();
        Self { enabled: on, batch, keep, snapshots }
    }
}

impl CompactingConfig {
    /// What holds.
    pub(super) const fn defaults(&self) -> CompactingDefaults {
        let Self { enabled, batch, keep, snapshots } = *self;
        CompactingDefaults { on: enabled, batch, keep, snapshots }
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("compacting.batch", self.batch, 5..=100);
        problems.range("compacting.keep", self.keep, 1..=100);
        problems.range("compacting.snapshots", self.snapshots, 2..=20);
    }
}
