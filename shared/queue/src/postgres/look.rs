//! Counts and dead letters.

use super::Postgres;
use crate::{
    dead::{DeadLetter, DeadRow},
    stats::{Counts, QueueStats},
};

const STATS: &str = "SELECT pending, delayed, \
     (SELECT count(*) FROM apalis.jobs WHERE job_type = $1 AND status IN ('Queued', 'Running')), \
     (SELECT count(*) FROM apalis.jobs WHERE job_type = $1 AND status = 'Killed'), \
     (SELECT count(*) FROM apalis.jobs WHERE job_type = $1 AND status = 'Done'), \
     extract(epoch FROM now() - oldest)::bigint \
     FROM (SELECT count(*) FILTER (WHERE run_at <= now()) AS pending, count(*) FILTER (WHERE run_at > now()) AS delayed, \
         min(run_at) FILTER (WHERE run_at <= now()) AS oldest \
         FROM apalis.jobs WHERE job_type = $1 AND status = 'Pending') AS waiting";

const DEAD: &str = "SELECT id, idempotency_key, job, attempts::bigint, coalesce(last_result ->> 'Err', ''), \
     coalesce(extract(epoch FROM done_at)::bigint, 0) \
     FROM apalis.jobs WHERE job_type = $1 AND status = 'Killed' ORDER BY done_at DESC, id DESC LIMIT $2";

const REVIVE: &str = "UPDATE apalis.jobs SET status = 'Pending', attempts = 0, run_at = now(), done_at = NULL, \
     last_result = NULL, lock_by = NULL, lock_at = NULL WHERE id = $1 AND job_type = $2 AND status = 'Killed'";

impl Postgres {
    /// Counts jobs by state.
    pub(crate) async fn stats(&self, queue: &str) -> Result<QueueStats, sqlx::Error> {
        let counts: Counts = sqlx::query_as(STATS).bind(self.queue(queue)).fetch_one(&self.pool).await?;
        Ok(counts.into())
    }

    /// The newest dead letters.
    pub(crate) async fn dead_letters(&self, queue: &str, limit: u32) -> Result<Vec<DeadLetter>, sqlx::Error> {
        let read = sqlx::query_as(DEAD).bind(self.queue(queue)).bind(i64::from(limit));
        let rows: Vec<DeadRow> = read.fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(DeadLetter::from).collect())
    }

    /// Resets the attempts of a dead letter. Returns `false` if it does not exist.
    pub(crate) async fn revive(&self, queue: &str, task_id: &str) -> Result<bool, sqlx::Error> {
        let revive = sqlx::query(REVIVE).bind(task_id).bind(self.queue(queue));
        Ok(revive.execute(&self.pool).await?.rows_affected() > 0)
    }
}
