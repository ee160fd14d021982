//! Keeps the queue small: deletes what is over, a few rows at a time.
//!
//! Never apalis's `vacuum_before`: it deletes every finished job and rewrites the whole file of `SQLite`.

use std::time::Duration;

use crate::{error::QueueError, options::Retention, queue::Queue};

/// What a [`Queue::prune`] deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Finished jobs; their ids can be pushed again.
    pub done: u64,
    /// Dead letters; their ids can be pushed again.
    pub dead: u64,
    /// Rows of workers long gone.
    pub workers: u64,
}

/// What can be over.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Over {
    Done,
    Dead,
    Workers,
}

impl Over {
    /// Of jobs, the state that they are in.
    pub(crate) fn status(self) -> Option<&'static str> {
        match self {
            Self::Done => Some("Done"),
            Self::Dead => Some("Killed"),
            Self::Workers => None,
        }
    }
}

/// Lets waiting pushes and claims go first.
const BREATH: Duration = Duration::from_millis(5);

impl Queue {
    /// Deletes finished jobs, old dead letters and dead workers, each batch its own transaction.
    ///
    /// # Errors
    /// If the database fails; what was deleted stays deleted.
    pub async fn prune(&self, retention: &Retention) -> Result<Pruned, QueueError> {
        let batch = retention.batch.max(1);
        Ok(Pruned {
            done: self.delete(Over::Done, retention.done, batch).await?,
            dead: self.delete(Over::Dead, retention.dead, batch).await?,
            workers: self.delete(Over::Workers, retention.workers, batch).await?,
        })
    }

    async fn delete(&self, what: Over, keep: Duration, batch: u32) -> Result<u64, QueueError> {
        let mut total = 0;
        loop {
            let deleted = self.shared.database.prune(&self.shared.options.name, what, keep, batch).await?;
            total += deleted;
            if deleted < u64::from(batch) {
                return Ok(total);
            }
            tokio::time::sleep(BREATH).await;
        }
    }
}
