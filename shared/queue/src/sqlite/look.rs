//! Counts and dead letters.

use super::Sqlite;
use crate::{
    clock,
    dead::{DeadLetter, DeadRow},
    stats::{Counts, QueueStats},
};

const STATS: &str = "SELECT \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Pending' AND run_at <= ?2), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Pending' AND run_at > ?2), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status IN ('Queued', 'Running')), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Killed'), \
     (SELECT COUNT(*) FROM Jobs WHERE job_type = ?1 AND status = 'Done'), \
     (SELECT ?2 - MIN(run_at) FROM Jobs WHERE job_type = ?1 AND status = 'Pending' AND run_at <= ?2)";

const DEAD: &str = "SELECT id, idempotency_key, CAST(job AS BLOB), attempts, \
     CASE WHEN json_valid(last_result) THEN COALESCE(last_result ->> 'Err', '') ELSE '' END, \
     COALESCE(done_at, 0) \
     FROM Jobs WHERE job_type = ? AND status = 'Killed' ORDER BY done_at DESC, id DESC LIMIT ?";

const REVIVE: &str = "UPDATE Jobs SET status = 'Pending', attempts = 0, run_at = ?, done_at = NULL, \
     last_result = NULL, lock_by = NULL, lock_at = NULL WHERE id = ? AND job_type = ? AND status = 'Killed'";

impl Sqlite {
    /// Counts jobs by state.
    pub(crate) async fn stats(&self, queue: &str) -> Result<QueueStats, sqlx::Error> {
        let counts: Counts = sqlx::query_as(STATS).bind(queue).bind(clock::unix_now()).fetch_one(self.pool()?).await?;
        Ok(counts.into())
    }

    /// The newest dead letters.
    pub(crate) async fn dead_letters(&self, queue: &str, limit: u32) -> Result<Vec<DeadLetter>, sqlx::Error> {
        let rows: Vec<DeadRow> = sqlx::query_as(DEAD).bind(queue).bind(limit).fetch_all(self.pool()?).await?;
        Ok(rows.into_iter().map(DeadLetter::from).collect())
    }

    /// Resets the attempts of a dead letter. Returns `false` if it does not exist.
    pub(crate) async fn revive(&self, queue: &str, task_id: &str) -> Result<bool, sqlx::Error> {
        let revive = sqlx::query(REVIVE).bind(clock::unix_now()).bind(task_id).bind(queue);
        Ok(revive.execute(self.pool()?).await?.rows_affected() > 0)
    }
}
