//! Writes jobs.

use std::collections::HashMap;

use apalis_core::task::{builder::TaskBuilder, metadata::MetadataStore};
use apalis_sqlite::queries;
use sqlx::SqliteConnection;

use super::Sqlite;
use crate::{clock, envelope::JobEnvelope, options::QueueOptions, turns};

const TURN: &str = "SELECT COALESCE( \
     (SELECT MAX(turn) FROM ( \
         SELECT * FROM (SELECT -priority AS turn FROM Jobs \
             WHERE job_type = ?1 AND status = 'Pending' AND lock_by IS NULL AND run_at <= ?2 \
             ORDER BY priority DESC, run_at ASC LIMIT 1) \
         UNION ALL SELECT MAX(-priority) FROM Jobs WHERE job_type = ?1 AND status IN ('Queued', 'Running'))), \
     (SELECT -MAX(priority) FROM Jobs WHERE job_type = ?1 AND status = 'Pending' AND lock_by IS NULL), 0)";

const LAST: &str = "SELECT -MIN(priority) FROM Jobs \
     WHERE job_type = ? AND metadata ->> '$.user' = ? AND status = 'Pending'";

impl Sqlite {
    /// Writes jobs in one transaction; returns how many were new.
    pub(crate) async fn push(&self, jobs: &[(JobEnvelope, u64)], options: &QueueOptions) -> Result<usize, sqlx::Error> {
        let now = u64::try_from(clock::unix_now()).unwrap_or(0);
        let (mut new, mut turns) = (0, HashMap::new());
        let mut tx = self.pool()?.begin_with("BEGIN IMMEDIATE").await?;
        for (job, run_after) in jobs {
            let queue = job.own_queue().unwrap_or(&options.name);
            let whose = (queue, job.user_id.as_str());
            let turn = match turns.get(&whose) {
                Some(turn) => *turn,
                None => next_turn(&mut tx, queue, &job.user_id).await?,
            };
            let payload = serde_json::to_vec(job).map_err(|e| sqlx::Error::Encode(e.into()))?;
            let user = HashMap::from([("user".to_owned(), job.user_id.clone())]);
            let task = TaskBuilder::new(payload)
                .idempotency_key(&job.job_id)
                .max_attempts(options.max_attempts as usize)
                .run_at_timestamp((*run_after).max(now))
                .with_metadata(MetadataStore::from_map(user))
                .priority(turns::as_apalis(turn))
                .build();
            queries::push_tasks(&mut *tx, queue, &[task]).await.map_err(sql)?;
            // An ignored duplicate is an INSERT that changed nothing.
            let changed: i64 = sqlx::query_scalar("SELECT changes()").fetch_one(&mut *tx).await?;
            new += usize::from(changed > 0);
            turns.insert(whose, turn + i64::from(changed > 0));
        }
        tx.commit().await?;
        Ok(new)
    }
}

/// The turn of a user's next job.
async fn next_turn(conn: &mut SqliteConnection, queue: &str, user: &str) -> Result<i64, sqlx::Error> {
    let now: i64 = sqlx::query_scalar(TURN).bind(queue).bind(clock::unix_now()).fetch_one(&mut *conn).await?;
    let last: Option<i64> = sqlx::query_scalar(LAST).bind(queue).bind(user).fetch_one(conn).await?;
    Ok(turns::next(now, last))
}

fn sql(error: apalis_sqlite::Error) -> sqlx::Error {
    match error {
        apalis_sqlite::Error::Database(source) => source,
        other => sqlx::Error::Protocol(other.to_string()),
    }
}
