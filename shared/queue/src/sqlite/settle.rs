//! The end of a claim, as one fenced UPDATE.

use super::Sqlite;
use crate::{
    clock,
    settle::{Claim, Outcome},
};

/// A job that runs again takes a new turn, behind the user's waiting jobs (see `turns`).
const SETTLE: &str = "UPDATE Jobs SET status = ?4, attempts = attempts + ?5, \
     priority = CASE WHEN ?6 IS NULL THEN priority ELSE -MAX( \
         COALESCE((SELECT -other.priority FROM Jobs other \
             WHERE other.job_type = Jobs.job_type AND other.status = 'Pending' AND other.lock_by IS NULL \
             AND other.run_at <= ?9 ORDER BY other.priority DESC, other.run_at ASC LIMIT 1), 0), \
         COALESCE((SELECT 1 - MIN(other.priority) FROM Jobs other WHERE other.job_type = Jobs.job_type \
             AND other.metadata ->> '$.user' = Jobs.metadata ->> '$.user' AND other.status = 'Pending'), 0), \
         -priority) END, \
     run_at = COALESCE(?6, run_at), done_at = ?7, last_result = ?8, lock_by = NULL, lock_at = NULL \
     WHERE id = ?1 AND lock_by = ?2 AND attempts = ?3 AND status IN ('Queued', 'Running')";

const HOLDS: &str = "SELECT EXISTS (SELECT 1 FROM Jobs \
     WHERE id = ? AND lock_by = ? AND attempts = ? AND status IN ('Queued', 'Running'))";

const GIVE_BACK: &str = "UPDATE Jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL \
     WHERE lock_by = ? AND status IN ('Queued', 'Running')";

impl Sqlite {
    /// Writes the outcome. Returns `false` if the lease was lost and another worker settles the job.
    pub(crate) async fn settle(&self, claim: &Claim, outcome: &Outcome) -> Result<bool, sqlx::Error> {
        let now = clock::unix_now();
        // Rounded up, never earlier than the pause: the stored resolution is one second.
        let later = outcome.pause().map(|pause| pause.as_secs() + u64::from(pause.subsec_nanos() > 0));
        let result = sqlx::query(SETTLE)
            .bind(&claim.task_id)
            .bind(&claim.worker)
            .bind(claim.ended_runs)
            .bind(outcome.status())
            .bind(i64::from(outcome.counts()))
            .bind(later.map(|seconds| now.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX))))
            .bind(outcome.is_over().then_some(now))
            .bind(outcome.stored_error())
            .bind(now)
            .execute(self.pool()?)
            .await?;
        Ok(result.rows_affected() == 1)
    }

    /// Whether the claim may still settle its job.
    pub(crate) async fn holds(&self, claim: &Claim) -> Result<bool, sqlx::Error> {
        let holds = sqlx::query_scalar(HOLDS).bind(&claim.task_id).bind(&claim.worker).bind(claim.ended_runs);
        holds.fetch_one(self.pool()?).await
    }

    /// Returns the jobs of a dead worker to the queue and removes its row.
    pub(crate) async fn forget_worker(&self, worker: &str) -> Result<(), sqlx::Error> {
        let mut tx = self.pool()?.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query(GIVE_BACK).bind(worker).execute(&mut *tx).await?;
        sqlx::query("DELETE FROM Workers WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM Jobs WHERE lock_by = ?1)")
            .bind(worker)
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }
}
