//! The end of a claim, as one fenced UPDATE.

use std::time::Duration;

use super::Postgres;
use crate::settle::{Claim, Outcome};

/// A job that runs again takes a new turn, behind the user's waiting jobs (see `turns`).
const SETTLE: &str = "UPDATE apalis.jobs SET status = $4, attempts = attempts + $5, \
     priority = CASE WHEN $6::float8 IS NULL THEN priority \
         ELSE -greatest(apalis.kimberly_next_turn(job_type, metadata -> 'user'), -priority) END, \
     run_at = CASE WHEN $6::float8 IS NULL THEN run_at ELSE now() + make_interval(secs => $6::float8) END, \
     done_at = CASE WHEN $7 THEN now() END, last_result = $8::text::jsonb, lock_by = NULL, lock_at = NULL \
     WHERE id = $1 AND lock_by = $2 AND attempts = $3 AND status IN ('Queued', 'Running')";

const HOLDS: &str = "SELECT EXISTS (SELECT 1 FROM apalis.jobs \
     WHERE id = $1 AND lock_by = $2 AND attempts = $3 AND status IN ('Queued', 'Running'))";

const GIVE_BACK: &str = "UPDATE apalis.jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL \
     WHERE lock_by = $1 AND status IN ('Queued', 'Running')";

const FORGET: &str = "DELETE FROM apalis.workers \
     WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM apalis.jobs WHERE lock_by = $1)";

/// Longer intervals are capped at a hundred years, which Postgres can represent.
const LONGEST: Duration = Duration::from_hours(100 * 366 * 24);

/// Seconds for Postgres' `make_interval`.
pub(super) fn seconds(time: Duration) -> f64 {
    time.min(LONGEST).as_secs_f64()
}

impl Postgres {
    /// Writes the outcome. Returns `false` if the lease was lost and another worker settles the job.
    pub(crate) async fn settle(&self, claim: &Claim, outcome: &Outcome) -> Result<bool, sqlx::Error> {
        let result = sqlx::query(SETTLE)
            .bind(&claim.task_id)
            .bind(&claim.worker)
            .bind(claim.ended_runs)
            .bind(outcome.status())
            .bind(i32::from(outcome.counts()))
            .bind(outcome.pause().map(seconds))
            .bind(outcome.is_over())
            .bind(outcome.stored_error())
            .execute(&self.pool)
            .await?;
        Ok(result.rows_affected() == 1)
    }

    /// Whether the claim may still settle its job.
    pub(crate) async fn holds(&self, claim: &Claim) -> Result<bool, sqlx::Error> {
        let holds = sqlx::query_scalar(HOLDS).bind(&claim.task_id).bind(&claim.worker).bind(claim.ended_runs);
        holds.fetch_one(&self.pool).await
    }

    /// Returns the jobs of a dead worker to the queue and removes its row. If its last fetch is still in flight, one
    /// of the two fails: jobs reference the row of their worker.
    pub(crate) async fn forget_worker(&self, worker: &str) -> Result<(), sqlx::Error> {
        let mut tx = self.begin().await?;
        sqlx::query(GIVE_BACK).bind(worker).execute(&mut *tx).await?;
        sqlx::query(FORGET).bind(worker).execute(&mut *tx).await?;
        tx.commit().await
    }
}
