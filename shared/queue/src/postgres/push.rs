//! Writes jobs.
//!
//! Does not use apalis's statement: it fails on a duplicate and aborts the transaction.

use std::time::{Duration, Instant};

use super::{Postgres, errors};
use crate::{clock, envelope::JobEnvelope, options::QueueOptions};

/// One statement, so that the jobs are written atomically. Sorted, so that two concurrent pushes of the same jobs do
/// not deadlock. Each job takes its user's next turn (see `turns`).
const PUSH: &str = "WITH given AS ( \
         SELECT *, row_number() OVER (PARTITION BY job_type, who ORDER BY n) - 1 AS behind \
         FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::bigint[]) \
             WITH ORDINALITY AS given (id, job_type, key, job, who, run_after, n)), \
     turns AS MATERIALIZED ( \
         SELECT job_type, who, apalis.kimberly_next_turn(job_type, who) AS turn \
         FROM (SELECT DISTINCT job_type, who FROM given) AS each) \
     INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, metadata, idempotency_key) \
     SELECT id, job_type, job, 'Pending', 0, $7, greatest(to_timestamp(run_after), now()), \
         -least(turn + behind, 2147483647), hstore('user', who), key \
     FROM given JOIN turns USING (job_type, who) ORDER BY job_type, key \
     ON CONFLICT (job_type, idempotency_key) DO NOTHING";

/// Pause between retries over other connections.
const BETWEEN: Duration = Duration::from_millis(50);
/// The end of the year 9999, in Unix seconds; later times mean never.
const NEVER: i64 = 253_402_300_799;

/// Jobs as columns, the parameters of the statement.
#[derive(Default)]
struct Columns {
    ids: Vec<String>,
    queues: Vec<String>,
    keys: Vec<String>,
    payloads: Vec<Vec<u8>>,
    users: Vec<String>,
    times: Vec<i64>,
}

impl Postgres {
    /// Writes jobs in one transaction; returns how many were new. Retries over other connections if they break; jobs
    /// that a broken attempt wrote then no longer count as new.
    pub(crate) async fn push(&self, jobs: &[(JobEnvelope, u64)], options: &QueueOptions) -> Result<usize, sqlx::Error> {
        let columns = self.columns(jobs, options)?;
        let (started, max_attempts) = (Instant::now(), i32::try_from(options.max_attempts).unwrap_or(i32::MAX));
        loop {
            let push = sqlx::query(PUSH)
                .bind(&columns.ids)
                .bind(&columns.queues)
                .bind(&columns.keys)
                .bind(&columns.payloads)
                .bind(&columns.users)
                .bind(&columns.times)
                .bind(max_attempts);
            match push.execute(&self.pool).await {
                Ok(done) => return Ok(usize::try_from(done.rows_affected()).unwrap_or(usize::MAX)),
                Err(error) if errors::may_pass(&error) && started.elapsed() < self.patience => {
                    self.suspect(&error);
                    tokio::time::sleep(BETWEEN).await;
                }
                Err(error) => {
                    self.suspect(&error);
                    return Err(error);
                }
            }
        }
    }

    fn columns(&self, jobs: &[(JobEnvelope, u64)], options: &QueueOptions) -> Result<Columns, sqlx::Error> {
        let mut columns = Columns::default();
        for (job, run_after) in jobs {
            columns.ids.push(clock::fresh_task_id());
            columns.queues.push(self.queue(job.own_queue().unwrap_or(&options.name)));
            columns.keys.push(job.job_id.clone());
            columns.payloads.push(serde_json::to_vec(job).map_err(|e| sqlx::Error::Encode(e.into()))?);
            columns.users.push(job.user_id.clone());
            columns.times.push(i64::try_from(*run_after).unwrap_or(NEVER).min(NEVER));
        }
        Ok(columns)
    }
}
