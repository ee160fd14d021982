//! Numbers for metrics and the doctor.

use crate::{clock, error::QueueError, queue::Queue};

/// How full the queue is. Counts only; nothing of any user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Jobs that could start now.
    pub pending: u64,
    /// Jobs that wait for their time (pushed for later, or after a failure).
    pub delayed: u64,
    /// Jobs claimed by a worker.
    pub running: u64,
    /// Dead letters.
    pub dead: u64,
    /// Finished jobs not pruned yet.
    pub done: u64,
    /// For how long the longest waiting pending job could have started.
    pub oldest_pending_secs: Option<u64>,
}

const STATS: &str = "SELECT \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Pending' AND run_at <= ?2), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Pending' AND run_at > ?2), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status IN ('Queued', 'Running')), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Killed'), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Done'), \
     (SELECT ?2 - MIN(run_at) FROM Jobs WHERE job_type = ?1 AND status = 'Pending' AND run_at <= ?2)";

impl Queue {
    /// Counts the jobs.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn stats(&self) -> Result<QueueStats, QueueError> {
        type Row = (i64, i64, i64, i64, i64, Option<i64>);
        let (pending, delayed, running, dead, done, oldest): Row = sqlx::query_as(STATS)
            .bind(&self.shared.options.name)
            .bind(clock::unix_now())
            .fetch_one(&self.shared.pool)
            .await?;
        let count = |n: i64| u64::try_from(n).unwrap_or(0);
        Ok(QueueStats {
            pending: count(pending),
            delayed: count(delayed),
            running: count(running),
            dead: count(dead),
            done: count(done),
            oldest_pending_secs: oldest.map(count),
        })
    }
}
