//! Heartbeats, the recovery of jobs whose worker is gone, and rows that nobody could fetch.

use std::time::Duration;

use apalis_postgres::queries;

use super::Postgres;
use crate::settle::stored_error;

/// apalis registers a worker with the time of its machine: one that is ahead would keep its lease for longer than it lives.
const RENEW: &str = "UPDATE apalis.workers SET last_seen = now() \
     WHERE id = ANY($1) OR (worker_type = $2 AND last_seen > now() + interval '1 second')";

/// By an index that holds nothing else (`additions.sql`).
const QUARANTINE: &str = "UPDATE apalis.jobs SET status = 'Killed', done_at = now(), last_result = $1::text::jsonb \
     WHERE job_type = $2 AND status IN ('Pending', 'Failed') \
     AND (id !~* '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' OR attempts < 0 OR array_position(avals(metadata), NULL) IS NOT NULL)";

impl Postgres {
    /// Renews the leases of workers, then gives back the jobs of those that were silent for a lease, if that may be now;
    /// returns how many.
    pub(crate) async fn renew_leases(
        &self,
        queue: &str,
        workers: &[String],
        lease: Duration,
        may_recover: impl FnOnce() -> bool + Send,
    ) -> Result<u64, sqlx::Error> {
        let queue = self.queue(queue);
        let mut tx = self.begin().await?;
        sqlx::query(RENEW).bind(workers).bind(&queue).execute(&mut *tx).await?;
        let mut recovered = 0;
        // Who is silent is judged by the time at which this began, on the server: one that stands still from here on finds
        // nobody more.
        if may_recover() {
            let found = queries::reenqueue_orphaned(&mut *tx, &queue, lease.as_secs()).await;
            recovered = found.map_err(super::consume::sql)?;
        }
        tx.commit().await?;
        Ok(recovered)
    }

    /// Makes dead letters of rows that apalis cannot fetch; returns how many.
    pub(crate) async fn quarantine(&self, queue: &str, reason: &str) -> Result<u64, sqlx::Error> {
        let moved = sqlx::query(QUARANTINE).bind(stored_error(reason)).bind(self.queue(queue)).execute(&self.pool);
        Ok(moved.await?.rows_affected())
    }
}
