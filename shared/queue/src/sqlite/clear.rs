//! Deletes rows past their retention, and the jobs of purged users.

use std::{fs::File, io, path::Path, time::Duration};

use kimberly_crypto::folder_of;

use super::Sqlite;
use crate::{clock, error::QueueError, prune::Over};

const JOBS: &str = "DELETE FROM Jobs WHERE rowid IN (SELECT rowid FROM Jobs \
     WHERE job_type = ?1 AND status = ?2 AND done_at IS NOT NULL AND done_at <= ?3 LIMIT ?4)";

/// Never deletes a worker that holds jobs: without its row they could not be recovered.
const WORKERS: &str = "DELETE FROM Workers WHERE rowid IN (SELECT rowid FROM Workers w \
     WHERE worker_type = ?1 AND ?2 = '' AND last_seen <= ?3 \
     AND NOT EXISTS (SELECT 1 FROM Jobs WHERE lock_by = w.id) LIMIT ?4)";

/// Deletes from all queues in the file. A payload that is not JSON names no user.
const ERASE: &str = "DELETE FROM Jobs WHERE CASE WHEN json_valid(CAST(job AS TEXT)) \
     THEN json_extract(CAST(job AS TEXT), '$.user_id') = ? ELSE 0 END";

impl Sqlite {
    /// Syncs the truncation of the WAL: SQLite does not, and a power loss could restore erased rows.
    async fn sync_log(&self) -> Result<(), sqlx::Error> {
        let mut log = self.renewal.path().as_os_str().to_owned();
        log.push("-wal");
        let sync = move || {
            File::open(&log)?.sync_all()?;
            File::open(folder_of(Path::new(&log)))?.sync_all()
        };
        Ok(tokio::task::spawn_blocking(sync).await.map_err(io::Error::other)??)
    }

    /// Deletes at most `batch` rows in state `what` for longer than `retention`; returns how many.
    pub(crate) async fn prune(
        &self,
        queue: &str,
        what: Over,
        retention: Duration,
        batch: u32,
    ) -> Result<u64, sqlx::Error> {
        let retention = i64::try_from(retention.as_secs()).unwrap_or(i64::MAX);
        let (sql, status) = what.status().map_or((WORKERS, ""), |status| (JOBS, status));
        let until = clock::unix_now().saturating_sub(retention);
        let delete = sqlx::query(sql).bind(queue).bind(status).bind(until).bind(batch);
        Ok(delete.execute(self.pool()?).await?.rows_affected())
    }

    /// Removes the jobs of a user, then truncates the WAL.
    pub(crate) async fn erase_user(&self, user_id: &str) -> Result<u64, QueueError> {
        let erased = sqlx::query(ERASE).bind(user_id).execute(self.pool()?).await?.rows_affected();
        let (busy, _, _): (i64, i64, i64) =
            sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(self.pool()?).await?;
        if busy != 0 {
            return Err(QueueError::Busy);
        }
        self.sync_log().await?;
        Ok(erased)
    }
}
