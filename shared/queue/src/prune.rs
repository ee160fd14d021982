//! Keeps `queue.db` small: deletes what is over, a few rows at a time.
//!
//! Never apalis's `vacuum_before`: it deletes every finished job and rewrites the whole file.

use std::time::Duration;

use crate::{clock, error::QueueError, options::Retention, queue::Queue};

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

const JOBS: &str = "DELETE FROM Jobs WHERE rowid IN (SELECT rowid FROM Jobs \
     WHERE job_type = ?1 AND status = ?2 AND done_at IS NOT NULL AND done_at <= ?3 LIMIT ?4)";

/// A worker whose row is gone can no longer lose its jobs to recovery, so never one that holds any.
const WORKERS: &str = "DELETE FROM Workers WHERE rowid IN (SELECT rowid FROM Workers w \
     WHERE worker_type = ?1 AND ?2 = '' AND last_seen <= ?3 \
     AND NOT EXISTS (SELECT 1 FROM Jobs WHERE lock_by = w.id) LIMIT ?4)";

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
            done: self.delete(JOBS, "Done", retention.done, batch).await?,
            dead: self.delete(JOBS, "Killed", retention.dead, batch).await?,
            workers: self.delete(WORKERS, "", retention.workers, batch).await?,
        })
    }

    async fn delete(&self, sql: &'static str, status: &str, keep: Duration, batch: u32) -> Result<u64, QueueError> {
        let keep = i64::try_from(keep.as_secs()).unwrap_or(i64::MAX);
        let until = clock::unix_now().saturating_sub(keep);
        let mut total = 0;
        loop {
            let deleted = sqlx::query(sql)
                .bind(&self.shared.options.name)
                .bind(status)
                .bind(until)
                .bind(batch)
                .execute(&self.shared.pool)
                .await?
                .rows_affected();
            total += deleted;
            if deleted < u64::from(batch) {
                return Ok(total);
            }
            tokio::time::sleep(BREATH).await;
        }
    }
}
