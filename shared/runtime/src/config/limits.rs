//! `[limits]`: bounds on the server's work.

use kimberly_core::bounds::{ABSOLUTE_MAX_CONTENT_BYTES, DEFAULT_MAX_CONTENT_BYTES};
use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Bounds on content, calls and shutdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Maximum content size of a memory; 1 KiB to 1,000,000 bytes.
    pub max_content: Bytes,
    /// Concurrent read calls of all users; 1 to 10,000, or 0 for two per processor.
    pub max_running_reads: usize,
    /// Concurrent write calls of all users; 1 to 10,000. They wait for the disk together.
    pub max_running_writes: usize,
    /// Waiting calls, reads or writes, served by user in turn; 0 to 100,000. Further ones are refused.
    pub max_waiting_calls: usize,
    /// Maximum waiting time; a call that would wait longer is refused at once, which starts overload; 0 to 1 m.
    pub longest_wait: Period,
    /// Maximum waiting time during overload, which ends once no call was refused for four times `longest_wait`; 0 to
    /// 1 m. Short, so that admitted calls stay fast.
    pub longest_wait_overloaded: Period,
    /// Running and waiting calls of one user, counted separately for reads and writes; 1 to 100,000.
    pub max_calls_per_user: usize,
    /// Concurrent streams; 1 to 100,000.
    pub max_streams: usize,
    /// Concurrent streams of one user; 1 to 100,000.
    pub max_streams_per_user: usize,
    /// Calls per second and user, on average; 0.001 to 1,000,000, or 0 for no limit.
    pub user_calls_per_second: f64,
    /// Burst of calls of a user after a pause; 1 to 1,000,000.
    pub user_burst: u32,
    /// Calls per second and credential, on average; 0.001 to 1,000,000, or 0 for no limit. Callers without credential
    /// share one limit.
    pub credential_calls_per_second: f64,
    /// Burst of calls with a credential after a pause; 1 to 1,000,000.
    pub credential_burst: u32,
    /// How long a stopping process lets running work finish; 0 to 10 m.
    pub shutdown_soft: Period,
    /// How long it then waits for cancelled work before it exits anyway; 100 ms to 1 m.
    pub shutdown_hard: Period,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            max_content: Bytes(DEFAULT_MAX_CONTENT_BYTES as u64),
            max_running_reads: 0,
            max_running_writes: 64,
            max_waiting_calls: 1_024,
            longest_wait: Period::millis(500),
            longest_wait_overloaded: Period::millis(10),
            max_calls_per_user: 512,
            max_streams: 256,
            max_streams_per_user: 64,
            user_calls_per_second: 0.0,
            user_burst: 100,
            credential_calls_per_second: 0.0,
            credential_burst: 1_000,
            shutdown_soft: Period::seconds(10),
            shutdown_hard: Period::seconds(5),
        }
    }
}

impl LimitsConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        let content = Bytes(1_024)..=Bytes(ABSOLUTE_MAX_CONTENT_BYTES as u64);
        problems.range("limits.max_content", self.max_content, content);
        problems.range("limits.shutdown_soft", self.shutdown_soft, Period::seconds(0)..=Period::seconds(600));
        problems.range("limits.shutdown_hard", self.shutdown_hard, Period::millis(100)..=Period::seconds(60));
        self.check_calls(problems);
        self.check_rates(problems);
    }

    fn check_calls(&self, problems: &mut Problems) {
        let (wait, many) = (Period::seconds(0)..=Period::seconds(60), 1..=100_000);
        problems.range("limits.max_running_reads", self.max_running_reads, 0..=10_000);
        problems.range("limits.max_running_writes", self.max_running_writes, 1..=10_000);
        problems.range("limits.max_waiting_calls", self.max_waiting_calls, 0..=100_000);
        problems.range("limits.longest_wait", self.longest_wait, wait.clone());
        problems.range("limits.longest_wait_overloaded", self.longest_wait_overloaded, wait);
        problems.range("limits.max_calls_per_user", self.max_calls_per_user, many.clone());
        problems.range("limits.max_streams", self.max_streams, many.clone());
        problems.range("limits.max_streams_per_user", self.max_streams_per_user, many);
    }

    fn check_rates(&self, problems: &mut Problems) {
        let rates = [
            ("limits.user_calls_per_second", self.user_calls_per_second),
            ("limits.credential_calls_per_second", self.credential_calls_per_second),
        ];
        for (key, rate) in rates {
            if rate != 0.0 && !(0.001..=1e6).contains(&rate) {
                problems.add(format!("{key} is {rate}; 0.001 to 1000000 are allowed, and 0 for no limit"));
            }
        }
        problems.range("limits.user_burst", self.user_burst, 1..=1_000_000);
        problems.range("limits.credential_burst", self.credential_burst, 1..=1_000_000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_off_at_zero_and_bounded_elsewhere() {
        for (rate, good) in [(0.0, true), (0.001, true), (1e6, true), (0.0001, false), (-1.0, false), (f64::NAN, false)]
        {
            let mut problems = Problems::default();
            LimitsConfig { user_calls_per_second: rate, ..LimitsConfig::default() }.check(&mut problems);
            assert_eq!(problems.0.is_empty(), good, "{rate}: {problems}");
        }
    }
}
