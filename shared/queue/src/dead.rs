//! Dead letters: jobs that are not retried unless an operator revives them.
//!
//! They are apalis's state `Killed`, which no worker fetches. The row stays, so that its `job_id` stays taken: a
//! relay that pushes the job again does not revive it.

use crate::{error::QueueError, queue::Queue};

/// A job that failed permanently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The queue's id of the row.
    pub task_id: String,
    /// The idempotency key it was pushed with, if any.
    pub job_id: Option<String>,
    /// The stored payload (ids only), as text.
    pub payload: String,
    /// Completed runs.
    pub attempts: u32,
    /// The last error.
    pub error: String,
    /// When it became a dead letter, in Unix seconds.
    pub died_at: u64,
}

/// Row id, key, payload, runs, error, time, as both databases return them.
pub(crate) type DeadRow = (String, Option<String>, Vec<u8>, i64, String, i64);

impl From<DeadRow> for DeadLetter {
    fn from((task_id, job_id, payload, attempts, error, died_at): DeadRow) -> Self {
        Self {
            task_id,
            job_id,
            payload: String::from_utf8_lossy(&payload).into_owned(),
            attempts: u32::try_from(attempts).unwrap_or(0),
            error,
            died_at: u64::try_from(died_at).unwrap_or(0),
        }
    }
}

impl Queue {
    /// The newest dead letters, at most `limit`.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn dead_letters(&self, limit: u32) -> Result<Vec<DeadLetter>, QueueError> {
        Ok(self.shared.database.dead_letters(&self.shared.options.name, limit).await?)
    }

    /// Resets the attempts of a dead letter and makes it pending. Returns `false` if the dead letter does not exist.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn revive(&self, task_id: &str) -> Result<bool, QueueError> {
        let revived = self.shared.database.revive(&self.shared.options.name, task_id).await?;
        if revived {
            self.shared.bell.ring();
        }
        Ok(revived)
    }
}
