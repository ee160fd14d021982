//! Tunable options of the queue; the defaults fit one machine.

use std::{sync::Arc, time::Duration};

use kimberly_crypto::DbKey;

/// Options of a [`crate::Queue`].
#[derive(Debug, Clone)]
pub struct QueueOptions {
    /// The encryption key of the file; `None` for a plain file.
    pub key: Option<Arc<DbKey>>,
    /// Name of the queue inside `queue.db`.
    pub name: String,
    /// Runs after which a failing job becomes a dead letter; stored with the job when it is pushed.
    pub max_attempts: u32,
    /// Backoff before a failed job runs again (resolution one second).
    pub retry: Backoff,
    /// Backoff before a consumer restarts after a database error.
    pub restart: Backoff,
    /// Time between heartbeats, in whole seconds.
    pub heartbeat: Duration,
    /// Missed heartbeats after which a worker counts as dead and its jobs are recovered.
    pub missed_heartbeats: u32,
    /// How often a waiting consumer polls.
    pub poll: PollOptions,
    /// How long running jobs may continue after a stop was requested.
    pub stop_bound: Duration,
}

impl Default for QueueOptions {
    fn default() -> Self {
        Self {
            key: None,
            name: "kimberly".to_owned(),
            max_attempts: 5,
            retry: Backoff::new(Duration::from_secs(2), Duration::from_mins(10)),
            restart: Backoff::new(Duration::from_millis(200), Duration::from_secs(30)),
            heartbeat: Duration::from_secs(2),
            missed_heartbeats: 2,
            poll: PollOptions::default(),
            stop_bound: Duration::from_secs(20),
        }
    }
}

impl QueueOptions {
    /// How long a worker may be silent before its jobs are recovered.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.heartbeat.saturating_mul(self.missed_heartbeats)
    }
}

/// Exponential backoff: `base`, doubled each time up to `cap`, minus up to half at random (jitter).
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// The first pause, before jitter.
    pub base: Duration,
    /// The longest pause.
    pub cap: Duration,
}

impl Backoff {
    /// A backoff from `base` to `cap`.
    #[must_use]
    pub const fn new(base: Duration, cap: Duration) -> Self {
        Self { base, cap }
    }

    /// The pause after failure number `failures` (1 is the first); `jitter` is in 0..=1.
    #[must_use]
    pub fn pause(&self, failures: u32, jitter: f64) -> Duration {
        let doublings = failures.saturating_sub(1).min(20);
        let full = self.base.saturating_mul(1 << doublings).min(self.cap);
        full.mul_f64(0.5 + 0.5 * jitter.clamp(0.0, 1.0))
    }
}

/// How often a waiting consumer polls for jobs that another process pushed.
///
/// A push through a clone of the same [`crate::Queue`] wakes the consumer at once.
#[derive(Debug, Clone, Copy)]
pub struct PollOptions {
    /// The interval right after a job.
    pub busy: Duration,
    /// The interval after some time without jobs.
    pub idle: Duration,
}

impl Default for PollOptions {
    fn default() -> Self {
        Self { busy: Duration::from_millis(25), idle: Duration::from_millis(250) }
    }
}

/// The rows that [`crate::Queue::prune`] leaves.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    /// How long a finished job, and so its `job_id`, is stored.
    pub done: Duration,
    /// How long a dead letter is stored.
    pub dead: Duration,
    /// How long the row of a worker stays after its last heartbeat.
    pub workers: Duration,
    /// Rows deleted in one transaction.
    pub batch: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            done: Duration::from_hours(24),
            dead: Duration::from_hours(30 * 24),
            workers: Duration::from_mins(10),
            batch: 200,
        }
    }
}
