//! Counts for metrics and `doctor`.

use crate::{error::QueueError, queue::Queue};

/// Numbers of jobs by state; nothing about any user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Jobs that could start now.
    pub pending: u64,
    /// Jobs that wait for their start time (pushed for later, or after a failure).
    pub delayed: u64,
    /// Jobs claimed by a worker.
    pub running: u64,
    /// Dead letters.
    pub dead: u64,
    /// Finished jobs not pruned yet.
    pub done: u64,
    /// How many seconds the longest-waiting pending job has been startable.
    pub oldest_pending_secs: Option<u64>,
}

/// Pending, delayed, running, dead, done, and the age of the oldest pending job, as both databases return them.
pub(crate) type Counts = (i64, i64, i64, i64, i64, Option<i64>);

impl From<Counts> for QueueStats {
    fn from((pending, delayed, running, dead, done, oldest): Counts) -> Self {
        let count = |n: i64| u64::try_from(n).unwrap_or(0);
        Self {
            pending: count(pending),
            delayed: count(delayed),
            running: count(running),
            dead: count(dead),
            done: count(done),
            oldest_pending_secs: oldest.map(count),
        }
    }
}

impl Queue {
    /// Counts the jobs.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn stats(&self) -> Result<QueueStats, QueueError> {
        Ok(self.shared.database.stats(&self.shared.options.name).await?)
    }
}
