//! Heartbeats, recovery of jobs of dead workers, and malformed rows.

use std::time::Duration;

use apalis_core::backend::WorkerFilter;
use apalis_sqlite::queries;

use super::Sqlite;
use crate::settle::stored_error;

const RENEW: &str = "UPDATE Workers SET last_seen = strftime('%s', 'now') WHERE id = ?";

const QUARANTINE: &str = "UPDATE Jobs SET status = 'Killed', done_at = strftime('%s', 'now'), last_result = ? \
     WHERE job_type = ? AND status IN ('Pending', 'Failed') AND (length(id) <> 26 \
     OR id GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' OR substr(id, 1, 1) > '7')";

impl Sqlite {
    /// Renews the leases of workers; then, if `may_recover`, returns jobs of workers that were silent for a lease to
    /// the queue. Returns how many.
    pub(crate) async fn renew_leases(
        &self,
        queue: &str,
        workers: &[String],
        lease: Duration,
        may_recover: impl FnOnce() -> bool + Send,
    ) -> Result<u64, sqlx::Error> {
        let dead_for = i64::try_from(lease.as_secs()).unwrap_or(i64::MAX);
        let mut tx = self.pool()?.begin_with("BEGIN IMMEDIATE").await?;
        for name in workers {
            sqlx::query(RENEW).bind(name).execute(&mut *tx).await?;
        }
        let mut recovered = 0;
        if may_recover() {
            recovered = queries::reenqueue_orphaned(&mut *tx, dead_for, queue, &WorkerFilter::None).await?;
        }
        tx.commit().await?;
        Ok(recovered)
    }

    /// Turns rows that apalis cannot fetch into dead letters; returns how many.
    pub(crate) async fn quarantine(&self, queue: &str, reason: &str) -> Result<u64, sqlx::Error> {
        let moved = sqlx::query(QUARANTINE).bind(stored_error(reason)).bind(queue).execute(self.pool()?).await?;
        Ok(moved.rows_affected())
    }
}
