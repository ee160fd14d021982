//! Deleting what is over, and what belongs to a user who is purged.

use std::{fs::File, io, path::Path, time::Duration};

use kimberly_crypto::folder_of;

use super::Sqlite;
use crate::{clock, error::QueueError, prune::Over};

const JOBS: &str = "DELETE FROM Jobs WHERE rowid IN (SELECT rowid FROM Jobs \
     WHERE job_type = ?1 AND status = ?2 AND done_at IS NOT NULL AND done_at <= ?3 LIMIT ?4)";

/// A worker whose row is gone can no longer lose its jobs to recovery, so never one that holds any.
const WORKERS: &str = "DELETE FROM Workers WHERE rowid IN (SELECT rowid FROM Workers w \
     WHERE worker_type = ?1 AND ?2 = '' AND last_seen <= ?3 \
     AND NOT EXISTS (SELECT 1 FROM Jobs WHERE lock_by = w.id) LIMIT ?4)";

/// Of all queues in the file. What cannot be read as JSON names nobody.
const ERASE: &str = "DELETE FROM Jobs WHERE CASE WHEN json_valid(CAST(job AS TEXT)) \
     THEN json_extract(CAST(job AS TEXT), '$.user_id') = ? ELSE 0 END";

impl Sqlite {
    /// Puts on disk that the log was cut: SQLite does not wait for that, and a power cut would bring back what was erased.
    async fn sync_log(&self) -> Result<(), sqlx::Error> {
        let mut log = self.renewal.path().as_os_str().to_owned();
        log.push("-wal");
        let sync = move || {
            File::open(&log)?.sync_all()?;
            File::open(folder_of(Path::new(&log)))?.sync_all()
        };
        Ok(tokio::task::spawn_blocking(sync).await.map_err(io::Error::other)??)
    }

    /// Deletes at most `batch` rows that have been over for longer than `keep`; returns how many.
    pub(crate) async fn prune(&self, queue: &str, what: Over, keep: Duration, batch: u32) -> Result<u64, sqlx::Error> {
        let keep = i64::try_from(keep.as_secs()).unwrap_or(i64::MAX);
        let (sql, status) = what.status().map_or((WORKERS, ""), |status| (JOBS, status));
        let until = clock::unix_now().saturating_sub(keep);
        let delete = sqlx::query(sql).bind(queue).bind(status).bind(until).bind(batch);
        Ok(delete.execute(self.pool()?).await?.rows_affected())
    }

    /// Removes the jobs of a user, and then everything removed from the log.
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
