//! Integrity checks of the file.

use std::path::Path;

use kimberly_crypto::DbKey;
use sqlx::{ConnectOptions, Connection, SqlitePool};

use super::{Sqlite, open};
use crate::error::QueueError;

/// Reads every page, verifies its MAC if encrypted, and checks the b-tree structure.
const CHECK: &str = "PRAGMA quick_check(1)";
/// Whether the file has no tables yet.
const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'Jobs')";
/// SQLite's `user_version`, which apalis does not use; 0 in a new file.
const LACKS_JOBS: &str = "SELECT user_version FROM pragma_user_version";
const NOTE_ALL: &str = "PRAGMA user_version = 0";
const NOTE_LACK: &str = "PRAGMA user_version = 1";

impl Sqlite {
    /// Uses its own connection, since others may have cached pages.
    pub(crate) async fn examine(&self, key: Option<&DbKey>) -> Result<(), QueueError> {
        let path = self.renewal.path();
        match checked(path, key).await {
            Ok(found) if found == "ok" => Ok(()),
            Ok(_) => Err(QueueError::Damaged(path.to_owned())),
            Err(error) if open::is_damage(&error) => Err(QueueError::Damaged(path.to_owned())),
            Err(error) => Err(QueueError::Open { path: path.to_owned(), source: error }),
        }
    }

    pub(crate) async fn lacks_jobs(&self) -> Result<bool, sqlx::Error> {
        Ok(sqlx::query_scalar::<_, i64>(LACKS_JOBS).fetch_one(self.pool()?).await? == 1)
    }

    pub(crate) async fn note_all_jobs(&self) -> Result<(), sqlx::Error> {
        sqlx::query(NOTE_ALL).execute(self.pool()?).await.map(drop)
    }
}

/// Records in an empty file that it lacks the jobs of vaults. Files with tables are left unchanged.
pub(super) async fn note_lack(pool: &SqlitePool) -> Result<(), sqlx::Error> {
    if sqlx::query_scalar(IS_EMPTY).fetch_one(pool).await? {
        sqlx::query(NOTE_LACK).execute(pool).await?;
    }
    Ok(())
}

async fn checked(path: &Path, key: Option<&DbKey>) -> Result<String, sqlx::Error> {
    super::refuse_full(path)?;
    let mut conn = open::connect_options(path, key, false).connect().await?;
    let found = sqlx::query_scalar(CHECK).fetch_one(&mut conn).await;
    // An error on closing does not matter.
    let _ = conn.close().await;
    found
}
