//! Jobs in one file of `SQLite`, `queue.db`: for the processes of one machine.

mod clear;
mod consume;
mod leases;
mod look;
mod open;
mod push;
mod renewal;
mod settle;

use std::{path::Path, sync::Arc};

use futures::future::BoxFuture;
use kimberly_crypto::DbKey;
use sqlx::SqlitePool;

use self::renewal::Renewal;
use crate::error::QueueError;

/// The open file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    pool: SqlitePool,
    renewal: Arc<Renewal>,
}

impl Sqlite {
    /// Opens or creates the file.
    // Boxed: compiled here once, and not by each crate that awaits it.
    pub(crate) fn open<'a>(path: &'a Path, key: Option<&'a DbKey>) -> BoxFuture<'a, Result<Self, QueueError>> {
        Box::pin(async move {
            let renewal = Arc::new(Renewal::new(path));
            let pool = open::open(path, key, &renewal).await?;
            Ok(Self { pool, renewal })
        })
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
