//! The bounds of a queue.

use std::time::Duration;

use kimberly_runtime::config::LimitsConfig;

/// The bounds of a queue.
#[derive(Clone, Copy, Debug)]
pub(in crate::calls) struct Bounds {
    /// Maximum number of running calls.
    pub running: usize,
    /// Maximum number of waiting calls, not counting steps of streams.
    pub waiting: usize,
    /// Maximum number of running and waiting calls of one user.
    pub per_user: usize,
    /// Longest wait of a call, normally and under overload.
    pub longest_wait: Duration,
    pub longest_wait_overloaded: Duration,
}

impl Bounds {
    /// Takes the bounds of a queue for this many permits from the configuration.
    pub(in crate::calls) fn new(running: usize, config: &LimitsConfig) -> Self {
        Self {
            running,
            waiting: config.max_waiting_calls,
            per_user: config.max_calls_per_user,
            longest_wait: config.longest_wait.0,
            longest_wait_overloaded: config.longest_wait_overloaded.0,
        }
    }
}
