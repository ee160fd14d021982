//! Dead letters: jobs that will not be tried again unless somebody revives them.
//!
//! They are apalis's state `Killed`, which no worker fetches. The row stays where it is, so that
//! its `job_id` stays taken: a relay that pushes it again does not raise the dead.

use crate::{clock, error::QueueError, queue::Queue};

/// A job that failed for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The queue's own id of the row.
    pub task_id: String,
    /// The idempotency key it was pushed with, if any.
    pub job_id: Option<String>,
    /// The stored payload (ids only), as text.
    pub payload: String,
    /// Runs that ended.
    pub attempts: u32,
    /// Why it died.
    pub error: String,
    /// When, in Unix seconds.
    pub died_at: u64,
}

const DEAD: &str = "SELECT id, idempotency_key, CAST(job AS BLOB), attempts, \
     CASE WHEN json_valid(last_result) THEN COALESCE(last_result ->> 'Err', '') ELSE '' END, \
     COALESCE(done_at, 0) \
     FROM Jobs WHERE job_type = ? AND status = 'Killed' ORDER BY done_at DESC, id DESC LIMIT ?";

impl Queue {
    /// The newest dead letters.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn dead_letters(&self, limit: u32) -> Result<Vec<DeadLetter>, QueueError> {
        type Row = (String, Option<String>, Vec<u8>, i64, String, i64);
        let rows: Vec<Row> =
            sqlx::query_as(DEAD).bind(&self.shared.options.name).bind(limit).fetch_all(&self.shared.pool).await?;
        let letters = rows.into_iter().map(|(task_id, job_id, payload, attempts, error, died_at)| DeadLetter {
            task_id,
            job_id,
            payload: String::from_utf8_lossy(&payload).into_owned(),
            attempts: u32::try_from(attempts).unwrap_or(0),
            error,
            died_at: u64::try_from(died_at).unwrap_or(0),
        });
        Ok(letters.collect())
    }

    /// Gives a dead letter all its attempts again. `false`: there is no such dead letter.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn revive(&self, task_id: &str) -> Result<bool, QueueError> {
        let revived = sqlx::query(
            "UPDATE Jobs SET status = 'Pending', attempts = 0, run_at = ?, done_at = NULL, last_result = NULL, \
             lock_by = NULL, lock_at = NULL WHERE id = ? AND job_type = ? AND status = 'Killed'",
        )
        .bind(clock::unix_now())
        .bind(task_id)
        .bind(&self.shared.options.name)
        .execute(&self.shared.pool)
        .await?
        .rows_affected();
        if revived > 0 {
            self.shared.bell.ring();
        }
        Ok(revived > 0)
    }
}
