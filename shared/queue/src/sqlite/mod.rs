//! Jobs in one file of `SQLite`, `queue.db`: for the processes of one machine.

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

/// How often it is looked whether there is room while jobs are taken.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// The open file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    pool: SqlitePool,
    renewal: Arc<Renewal>,
}

impl Sqlite {
    /// Opens or creates the file; one that is created `beside_vaults` lacks their jobs.
    // Boxed: compiled here once, and not by each crate that awaits it.
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

    /// What the file is reached by, unless writing it could kill the process.
    fn pool(&self) -> Result<&SqlitePool, sqlx::Error> {
        refuse_full(self.renewal.path())?;
        Ok(&self.pool)
    }

    /// Ends when writing the file could kill the process, with the reason: apalis writes it without asking.
    pub(crate) async fn is_full(&self) -> String {
        loop {
            if let Err(error) = self.pool() {
                return error.to_string();
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Opens the file anew when a connection is asked for next.
    pub(crate) fn renew(&self) {
        self.renewal.renew();
    }

    /// Opens the file anew after an error that a fresh handle could cure (damaged, replaced, gone).
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

/// Refuses to touch the file at this path while the disk is so full that it could kill the process.
fn refuse_full(path: &Path) -> Result<(), sqlx::Error> {
    refuse_mapping(folder_of(path)).map_err(|none| io::Error::new(io::ErrorKind::StorageFull, none).into())
}
