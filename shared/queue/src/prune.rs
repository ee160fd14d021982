//! Keeps the queue small: deletes rows past their retention in small batches.
//!
//! Never uses apalis's `vacuum_before`: it deletes every finished job and rewrites the whole `SQLite` file.

use std::time::Duration;

use crate::{error::QueueError, options::Retention, queue::Queue};

/// The result of [`Queue::prune`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Finished jobs; their ids can be pushed again.
    pub done: u64,
    /// Dead letters; their ids can be pushed again.
    pub dead: u64,
    /// Rows of workers that ended long ago.
    pub workers: u64,
}

/// The entries that can be pruned.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Over {
    Done,
    Dead,
    Workers,
}

impl Over {
    /// The state of jobs to prune; `None` for workers.
    pub(crate) fn status(self) -> Option<&'static str> {
        match self {
            Self::Done => Some("Done"),
            Self::Dead => Some("Killed"),
            Self::Workers => None,
        }
    }
}

/// A pause that lets waiting pushes and claims go first.
const BREATH: Duration = Duration::from_millis(5);

impl Queue {
    /// Deletes old finished jobs, dead letters and workers, one transaction per batch.
    ///
    /// # Errors
    /// If the database fails; completed batches stay deleted.
    pub async fn prune(&self, retention: &Retention) -> Result<Pruned, QueueError> {
        let batch = retention.batch.max(1);
        Ok(Pruned {
            done: self.delete(Over::Done, retention.done, batch).await?,
            dead: self.delete(Over::Dead, retention.dead, batch).await?,
            workers: self.delete(Over::Workers, retention.workers, batch).await?,
        })
    }

    async fn delete(&self, what: Over, retention: Duration, batch: u32) -> Result<u64, QueueError> {
        let mut total = 0;
        loop {
            let deleted = self.shared.database.prune(&self.shared.options.name, what, retention, batch).await?;
            total += deleted;
            if deleted < u64::from(batch) {
                return Ok(total);
            }
            tokio::time::sleep(BREATH).await;
        }
    }
}
