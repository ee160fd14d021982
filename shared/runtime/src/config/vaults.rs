//! `[vaults]`: how many vaults a process holds open, for how long, and how much it caches.

use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Settings of the store of vaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VaultsConfig {
    /// Vaults that one process holds open; 1 to 100,000. Lowered at the start if the limit on open files is too
    /// small.
    pub max_open: usize,
    /// Idle time after which a vault is closed; 1 s to 1 d.
    pub idle_close: Period,
    /// How long a write waits for another process's write to the same vault; 100 ms to 5 m.
    pub busy_timeout: Period,
    /// Memory that an api uses to cache searched vaults for later recalls; up to 64 GiB, 0 disables the cache. 1,000
    /// memories of 30 words need 0.3 MiB. When full, on Postgres vaults unused for a minute are
    /// evicted; with files nothing is added until open vaults are closed.
    pub kept_bytes: Bytes,
    /// Reserved free space on the data folder's disk, up to 1,024 TiB. Below it, additions are refused with
    /// `STORAGE_FULL`, while erasing, revoking and reading still work. 0 reserves nothing. Ignored on Postgres.
    pub reserve: Bytes,
}

impl Default for VaultsConfig {
    fn default() -> Self {
        Self {
            max_open: 1_024,
            idle_close: Period::seconds(300),
            busy_timeout: Period::seconds(5),
            kept_bytes: Bytes(64 << 20),
            reserve: Bytes(64 << 20),
        }
    }
}

impl VaultsConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("vaults.max_open", self.max_open, 1..=100_000);
        problems.range("vaults.idle_close", self.idle_close, Period::seconds(1)..=Period::days(1));
        problems.range("vaults.busy_timeout", self.busy_timeout, Period::millis(100)..=Period::seconds(300));
        problems.range("vaults.reserve", self.reserve, Bytes(0)..=Bytes(1 << 50));
        problems.range("vaults.kept_bytes", self.kept_bytes, Bytes(0)..=Bytes(64 << 30));
    }
}
