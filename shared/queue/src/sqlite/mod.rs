//! Jobs in one `SQLite` file, `queue.db`, for the processes of one machine.

mod clear;
mod consume;
mod leases;
mod look;
mod open;
mod push;
mod renewal;
mod settle;
mod whole;

use std::{io, path::Path, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use kimberly_crypto::{DbKey, folder_of, refuse_mapping};
use sqlx::SqlitePool;

use self::renewal::Renewal;
use crate::error::QueueError;

/// How often free disk space is checked while jobs are fetched.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// The open file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    pool: SqlitePool,
    renewal: Arc<Renewal>,
}

impl Sqlite {
    /// Opens or creates the file. A file created `beside_vaults` lacks the jobs of those vaults.
    // Boxed: compiled here once, not in each crate that awaits it.
    pub(crate) fn open<'a>(
        path: &'a Path,
        key: Option<&'a DbKey>,
        beside_vaults: bool,
    ) -> BoxFuture<'a, Result<Self, QueueError>> {
        Box::pin(async move {
            let renewal = Arc::new(Renewal::new(path));
            let pool = open::open(path, key, beside_vaults, &renewal).await?;
            Ok(Self { pool, renewal })
        })
    }

    /// The pool, unless writing the file could kill the process.
    fn pool(&self) -> Result<&SqlitePool, sqlx::Error> {
        refuse_full(self.renewal.path())?;
        Ok(&self.pool)
    }

    /// Completes with the reason once writing the file could kill the process: apalis writes without checking.
    pub(crate) async fn is_full(&self) -> String {
        loop {
            if let Err(error) = self.pool() {
                return error.to_string();
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Reopens the file at the next use.
    pub(crate) fn renew(&self) {
        self.renewal.renew();
    }

    /// Reopens the file after an error that a new handle could cure (damaged, replaced, deleted).
    pub(crate) fn suspect(&self, error: &sqlx::Error) {
        if !matches!(error, sqlx::Error::PoolClosed | sqlx::Error::PoolTimedOut) {
            self.renew();
        }
    }

    /// Closes the connection.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Refuses to use the file while the disk is so full that writing could kill the process.
fn refuse_full(path: &Path) -> Result<(), sqlx::Error> {
    refuse_mapping(folder_of(path)).map_err(|none| io::Error::new(io::ErrorKind::StorageFull, none).into())
}
