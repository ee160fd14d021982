//! Deletes rows past their retention, and the jobs of purged users.

use std::time::Duration;

use super::{Postgres, settle::seconds};
use crate::{error::QueueError, prune::Over};

const JOBS: &str = "DELETE FROM apalis.jobs WHERE id IN (SELECT id FROM apalis.jobs \
     WHERE job_type = $1 AND status = $2 AND done_at <= now() - make_interval(secs => $3) \
     LIMIT $4 FOR UPDATE SKIP LOCKED)";

/// Never deletes a worker that holds jobs: without its row they could not be recovered.
const WORKERS: &str = "DELETE FROM apalis.workers WHERE id IN (SELECT id FROM apalis.workers AS w \
     WHERE worker_type = $1 AND $2 = '' AND last_seen <= now() - make_interval(secs => $3) \
     AND NOT EXISTS (SELECT 1 FROM apalis.jobs WHERE lock_by = w.id) LIMIT $4 FOR UPDATE SKIP LOCKED)";

/// Deletes from all queues of this installation.
const ERASE: &str = "DELETE FROM apalis.jobs WHERE id IN (SELECT id FROM apalis.jobs \
     WHERE metadata -> 'user' = $1 AND starts_with(job_type, $2) LIMIT $3)";
/// Jobs erased per statement, so that none takes long.
const AT_A_TIME: i64 = 1000;

impl Postgres {
    /// Deletes at most `batch` rows in state `what` for longer than `retention`; returns how many.
    pub(crate) async fn prune(
        &self,
        queue: &str,
        what: Over,
        retention: Duration,
        batch: u32,
    ) -> Result<u64, sqlx::Error> {
        let (sql, status) = what.status().map_or((WORKERS, ""), |status| (JOBS, status));
        let delete =
            sqlx::query(sql).bind(self.queue(queue)).bind(status).bind(seconds(retention)).bind(i64::from(batch));
        Ok(delete.execute(&self.pool).await?.rows_affected())
    }

    /// Removes the jobs of a user. Postgres keeps deleted rows in its files until a vacuum, and in its WAL.
    pub(crate) async fn erase_user(&self, user_id: &str) -> Result<u64, QueueError> {
        let mut erased = 0;
        loop {
            let some = sqlx::query(ERASE).bind(user_id).bind(self.queue("")).bind(AT_A_TIME).execute(&self.pool);
            let some = some.await?.rows_affected();
            erased += some;
            if some == 0 {
                return Ok(erased);
            }
        }
    }
}
