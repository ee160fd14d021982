//! Jobs in a Postgres: for processes on any number of machines.
//!
//! apalis keeps them in its schema `apalis`, of which a database has one. Queues of several installations in one database
//! are told apart by the name of their schema, with which the names of their queues begin.
//!
//! Every time that is compared is the server's, and machines need not agree about it, with one exception: before when a
//! delayed job must not start is counted by the clock of whoever pushes it. If that is ahead, the job waits as much longer.

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
    /// For apalis's worker alone (see [`pool::connect`]).
    fetching: PgPool,
    way: Arc<Way>,
    /// What the names of queues begin with.
    schema: String,
    /// How long a call is tried over other connections while they break.
    patience: Duration,
}

impl Postgres {
    /// Makes the tables if they are not there, and connects.
    // Boxed: compiled here once, and not by each crate that awaits it.
    pub(crate) fn connect(options: &PgQueueOptions) -> BoxFuture<'_, Result<Self, QueueError>> {
        Box::pin(async move {
            let extension = schema::prepare(options).await?;
            let (pool, fetching, way) = pool::connect(options, &extension).await?;
            Ok(Self { pool, fetching, way, schema: options.schema.clone(), patience: options.connect_timeout })
        })
    }

    /// How apalis knows a queue.
    fn queue(&self, name: &str) -> String {
        format!("{}.{name}", self.schema)
    }

    /// No connection is taken any more that was made before.
    pub(crate) fn renew(&self) {
        self.way.lost();
    }

    /// As [`Self::renew`], after an error that other connections could cure.
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
