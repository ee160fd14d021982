//! `[compacting]`: when the oldest turns of a session are summarized.

use kimberly_core::settings::CompactingDefaults;
use serde::{Deserialize, Serialize};

use super::Problems;

/// Settings of compacting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompactingConfig {
    /// Whether sessions are compacted automatically. Compacting on request always works.
    pub enabled: bool,
    /// Turns per summary, 5 to 100. A session is compacted once it has this many unsummarized turns besides the `keep`
    /// newest.
    pub batch: usize,
    /// Newest turns of a session that are not summarized, 1 to 100.
    pub keep: usize,
    /// Maximum summaries per session, 2 to 20. Beyond it, the oldest are summarized again.
    pub snapshots: usize,
}

impl Default for CompactingConfig {
    fn default() -> Self {
        let CompactingDefaults { on, batch, keep, snapshots } = CompactingDefaults::default();
        Self { enabled: on, batch, keep, snapshots }
    }
}

impl CompactingConfig {
    /// The settings in the domain's type.
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
