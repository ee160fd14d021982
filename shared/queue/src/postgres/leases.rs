//! Heartbeats, recovery of jobs of dead workers, and malformed rows.

use std::time::Duration;

use apalis_postgres::queries;

use super::Postgres;
use crate::settle::stored_error;

/// apalis registers a worker with the clock of its machine: one that is ahead would keep its lease after its death.
const RENEW: &str = "UPDATE apalis.workers SET last_seen = now() \
     WHERE id = ANY($1) OR (worker_type = $2 AND last_seen > now() + interval '1 second')";

/// Uses a partial index of only such rows (`additions.sql`).
const QUARANTINE: &str = "UPDATE apalis.jobs SET status = 'Killed', done_at = now(), last_result = $1::text::jsonb \
     WHERE job_type = $2 AND status IN ('Pending', 'Failed') \
     AND (id !~* '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' OR attempts < 0 OR array_position(avals(metadata), NULL) IS NOT NULL)";

impl Postgres {
    /// Renews the leases of workers; then, if `may_recover`, returns jobs of workers that were silent for a lease to
    /// the queue. Returns how many.
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
        // The server judges silence by the start of this transaction, so a pause of this process from here on makes
        // no further worker look dead.
        if may_recover() {
            let found = queries::reenqueue_orphaned(&mut *tx, &queue, lease.as_secs()).await;
            recovered = found.map_err(super::consume::sql)?;
        }
        tx.commit().await?;
        Ok(recovered)
    }

    /// Turns rows that apalis cannot fetch into dead letters; returns how many.
    pub(crate) async fn quarantine(&self, queue: &str, reason: &str) -> Result<u64, sqlx::Error> {
        let moved = sqlx::query(QUARANTINE).bind(stored_error(reason)).bind(self.queue(queue)).execute(&self.pool);
        Ok(moved.await?.rows_affected())
    }
}
