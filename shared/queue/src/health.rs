//! How the consumer of this process is doing.

use std::sync::{Mutex, PoisonError};

/// A snapshot of the consumer for metrics and the doctor. Holds no job content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsumerHealth {
    /// Whether an apalis worker is up at this moment.
    pub running: bool,
    /// How often a database error ended the worker.
    pub restarts: u64,
    /// Ends in a row without a worker that held for a while; 0 is well.
    pub consecutive_failures: u32,
    /// Results dropped because another worker had taken the job over.
    pub lost_leases: u64,
    /// The last database error, kept after recovery.
    pub last_error: Option<String>,
}

/// The shared, writable side of [`ConsumerHealth`].
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
