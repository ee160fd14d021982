//! `[worker]`: the process that runs meditations.

use std::net::{Ipv4Addr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Settings of the worker process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkerConfig {
    /// Address and port for health; a loopback address.
    pub listen: SocketAddr,
    /// Concurrent jobs; 1 to 256.
    pub concurrency: usize,
    /// Runs after which a failing job becomes a dead letter; 1 to 100.
    pub max_attempts: u32,
    /// Interval of checks for due meditations; 100 ms to 1 h.
    pub schedule_interval: Period,
    /// Interval of sweeps for vaults with unsent jobs, in case a notification was lost; 100 ms to 1 h.
    pub sweep_interval: Period,
    /// Pause between two rounds of the search for damage; 1 s to 365 d.
    pub scrub_interval: Period,
    /// How long finished jobs are stored for inspection; 0 to 365 d.
    pub keep_finished: Period,
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7421)),
            concurrency: 2,
            max_attempts: 5,
            schedule_interval: Period::seconds(10),
            sweep_interval: Period::seconds(5),
            scrub_interval: Period::days(1),
            keep_finished: Period::days(1),
        }
    }
}

impl WorkerConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        let often = Period::millis(100)..=Period::seconds(3_600);
        problems.loopback("worker.listen", self.listen);
        problems.range("worker.concurrency", self.concurrency, 1..=256);
        problems.range("worker.max_attempts", self.max_attempts, 1..=100);
        problems.range("worker.schedule_interval", self.schedule_interval, often.clone());
        problems.range("worker.sweep_interval", self.sweep_interval, often);
        problems.range("worker.scrub_interval", self.scrub_interval, Period::seconds(1)..=Period::days(365));
        problems.range("worker.keep_finished", self.keep_finished, Period::seconds(0)..=Period::days(365));
    }
}
