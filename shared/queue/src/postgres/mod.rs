//! Jobs in Postgres, for processes on any number of machines.
//!
//! apalis keeps them in its schema `apalis`, one per database. The names of queues start with the schema of their
//! installation, so that several installations can share a database.
//!
//! All compared times are the server's, so clocks of machines need not agree, with one exception: the earliest start
//! of a delayed job comes from the clock of the process that pushes it. If that clock is ahead, the job waits longer
//! by as much.

mod clear;
mod consume;
mod errors;
mod leases;
mod look;
mod options;
mod pool;
mod push;
mod schema;
mod settle;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kimberly_postgres::Way;
use sqlx::{PgPool, Postgres as Database, Transaction};

pub use self::options::PgQueueOptions;
use crate::error::QueueError;

/// The connections of this process.
#[derive(Debug)]
pub(crate) struct Postgres {
    pool: PgPool,
    /// For apalis's worker only (see [`pool::connect`]).
    fetching: PgPool,
    way: Arc<Way>,
    /// The prefix of queue names.
    schema: String,
    /// How long a call is retried over new connections while they break.
    patience: Duration,
}

impl Postgres {
    /// Creates the tables if they are missing, and connects.
    // Boxed: compiled here once, not in each crate that awaits it.
    pub(crate) fn connect(options: &PgQueueOptions) -> BoxFuture<'_, Result<Self, QueueError>> {
        Box::pin(async move {
            let extension = schema::prepare(options).await?;
            let (pool, fetching, way) = pool::connect(options, &extension).await?;
            Ok(Self { pool, fetching, way, schema: options.schema.clone(), patience: options.connect_timeout })
        })
    }

    /// apalis's name of a queue.
    fn queue(&self, name: &str) -> String {
        format!("{}.{name}", self.schema)
    }

    /// Marks all existing connections as stale.
    pub(crate) fn renew(&self) {
        self.way.lost();
    }

    /// Like [`Self::renew`], after an error that new connections could cure.
    pub(crate) fn suspect(&self, error: &sqlx::Error) {
        if errors::may_pass(error) {
            self.renew();
        } else if matches!(error, sqlx::Error::PoolTimedOut) {
            self.way.look();
        }
    }

    /// Begins a transaction.
    async fn begin(&self) -> Result<Transaction<'static, Database>, sqlx::Error> {
        self.way.begin(&self.pool, "BEGIN".to_owned()).await
    }

    /// Closes the connections.
    pub(crate) async fn close(&self) {
        self.fetching.close().await;
        self.pool.close().await;
    }
}
