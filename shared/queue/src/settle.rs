//! The end of a claim: done, later again, dead, or given back. One fenced UPDATE each.
//!
//! The only writer of job states besides apalis's fetch and orphan recovery.

use std::time::Duration;

use sqlx::SqlitePool;

use crate::clock;

/// The right to settle one run of a job, as apalis's fetch gave it.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    /// apalis's id of the row.
    pub(crate) task_id: String,
    /// The worker that holds the row.
    pub(crate) worker: String,
    /// Runs that ended before this one; changes when the job is taken over.
    pub(crate) ended_runs: i64,
}

/// How a claim ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The job succeeded.
    Done,
    /// It failed and runs again after the pause.
    Retry {
        /// Stored as the last error.
        error: String,
        /// Before the next run.
        pause: Duration,
    },
    /// It is a dead letter.
    Dead {
        /// Stored with the dead letter.
        error: String,
        /// Whether this claim ran the handler, and so counts.
        ran: bool,
    },
    /// It was cut by a stop, which is not the job's fault: again at once, not counted.
    GivenBack,
}

const SETTLE: &str = "UPDATE Jobs SET status = ?4, attempts = attempts + ?5, \
     run_at = COALESCE(?6, run_at), done_at = ?7, last_result = ?8, lock_by = NULL, lock_at = NULL \
     WHERE id = ?1 AND lock_by = ?2 AND attempts = ?3 AND status IN ('Queued', 'Running')";

/// Writes the outcome. `false`: the lease was lost and somebody else settles the job.
pub(crate) async fn settle(pool: &SqlitePool, claim: &Claim, outcome: &Outcome) -> Result<bool, sqlx::Error> {
    let now = clock::unix_now();
    let (status, counts, run_at, done_at, error) = match outcome {
        Outcome::Done => ("Done", true, None, Some(now), None),
        Outcome::Retry { error, pause } => ("Pending", true, Some(later(now, *pause)), None, Some(error)),
        Outcome::Dead { error, ran } => ("Killed", *ran, None, Some(now), Some(error)),
        Outcome::GivenBack => ("Pending", false, None, None, None),
    };
    let result = sqlx::query(SETTLE)
        .bind(&claim.task_id)
        .bind(&claim.worker)
        .bind(claim.ended_runs)
        .bind(status)
        .bind(i64::from(counts))
        .bind(run_at)
        .bind(done_at)
        .bind(error.map(|e| stored_error(e)))
        .execute(pool)
        .await?;
    Ok(result.rows_affected() == 1)
}

const HOLDS: &str = "SELECT EXISTS (SELECT 1 FROM Jobs \
     WHERE id = ? AND lock_by = ? AND attempts = ? AND status IN ('Queued', 'Running'))";

/// Whether the claim may still settle its job.
pub(crate) async fn holds(pool: &SqlitePool, claim: &Claim) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(HOLDS).bind(&claim.task_id).bind(&claim.worker).bind(claim.ended_runs).fetch_one(pool).await
}

/// Gives back whatever a worker that is gone still holds, and removes its row.
pub(crate) async fn forget_worker(pool: &SqlitePool, worker: &str) -> Result<(), sqlx::Error> {
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query(
        "UPDATE Jobs SET status = 'Pending', lock_by = NULL, lock_at = NULL \
         WHERE lock_by = ? AND status IN ('Queued', 'Running')",
    )
    .bind(worker)
    .execute(&mut *tx)
    .await?;
    sqlx::query("DELETE FROM Workers WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM Jobs WHERE lock_by = ?1)")
        .bind(worker)
        .execute(&mut *tx)
        .await?;
    tx.commit().await
}

/// Longer messages are cut: they are codes and ids, not reports.
const MAX_ERROR_CHARS: usize = 500;

/// apalis's own notation of a failed result.
pub(crate) fn stored_error(error: &str) -> String {
    let error: String = error.chars().take(MAX_ERROR_CHARS).collect();
    serde_json::json!({ "Err": error }).to_string()
}

/// Never earlier than the pause: the stored grain is one second.
fn later(now: i64, pause: Duration) -> i64 {
    let seconds = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
    now.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX))
}
