//! `[vaults]`: how many users' vaults a process holds open, and for how long.

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Settings of the store of vaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VaultsConfig {
    /// Vaults that one process holds open; 1 to 100,000. Lowered at the start when the limit on open files is too small.
    pub max_open: usize,
    /// How long a vault stays open unused; 1 s to 1 d.
    pub idle_close: Period,
    /// How long a write waits for another process that is writing the same vault; 100 ms to 5 m.
    pub busy_timeout: Period,
}

impl Default for VaultsConfig {
    fn default() -> Self {
        Self { max_open: 1_024, idle_close: Period::seconds(300), busy_timeout: Period::seconds(5) }
    }
}

impl VaultsConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("vaults.max_open", self.max_open, 1..=100_000);
        problems.range("vaults.idle_close", self.idle_close, Period::seconds(1)..=Period::days(1));
        problems.range("vaults.busy_timeout", self.busy_timeout, Period::millis(100)..=Period::seconds(300));
    }
}
