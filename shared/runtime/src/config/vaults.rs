//! `[vaults]`: how many users' vaults a process holds open, for how long, and what it keeps of them.

use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

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
    /// What an api keeps in memory of the vaults that it searched, so that the next recall reads less: for each 1,000 memories of
    /// 30 words 0.1 MiB, and on Postgres 0.3 MiB; up to 64 GiB, and 0 keeps nothing. Once it is full, vaults that were not used for
    /// a minute give way on Postgres; in files no more is kept until open vaults are closed.
    pub kept_bytes: Bytes,
    /// What stays free on the disk of the data folder, up to 1,024 TiB: while less is, whatever adds is refused with `STORAGE_FULL`, and
    /// erasing, revoking and reading go on. 0 keeps nothing free. Not for Postgres.
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
