//! The state of this process's consumer.

use std::sync::{Mutex, PoisonError};

/// A snapshot of the consumer for metrics and `doctor`. Holds no job content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsumerHealth {
    /// Whether an apalis worker is running.
    pub running: bool,
    /// How often a database error ended the worker.
    pub restarts: u64,
    /// Consecutive ends of workers that did not run for long; 0 is healthy.
    pub consecutive_failures: u32,
    /// Results dropped because another worker had taken the job.
    pub lost_leases: u64,
    /// The last database error, kept after recovery.
    pub last_error: Option<String>,
}

/// The shared, mutable side of [`ConsumerHealth`].
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<ConsumerHealth>);

impl Health {
    pub(crate) fn snapshot(&self) -> ConsumerHealth {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut ConsumerHealth)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
