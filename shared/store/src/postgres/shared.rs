//! What every part of one store shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Clock;
use sqlx::pool::PoolConnection;
use sqlx::postgres::Postgres;
use tokio::sync::Notify;

use super::conn::Conn;
use super::kept::KeptVaults;
use super::options::PgOptions;
use super::pool::Pool;
use crate::sealed::Analyser;
use crate::signals::Signals;

/// Connections, clock, and what is kept.
pub(crate) struct Shared {
    pub(crate) options: PgOptions,
    pub(crate) pool: Pool,
    pub(crate) clock: Arc<dyn Clock>,
    /// Takes texts apart.
    pub(crate) analyser: Arc<Analyser>,
    pub(crate) kept: KeptVaults,
    /// Notified after a commit with outbox rows.
    pub(crate) outbox: Arc<Notify>,
    /// Tells those who follow a vault.
    pub(crate) signals: Signals,
    pub(crate) closed: AtomicBool,
    /// Why there are no vectors, if there are none.
    pub(crate) no_vectors: Option<String>,
}

impl Shared {
    /// Refuses work after the end.
    pub(crate) fn refuse_closed(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::storage(StorageFailure::Unavailable, "the store is closed: shutting down"));
        }
        Ok(())
    }

    /// A connection for one statement that is about no user's rows.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        self.refuse_closed()?;
        self.pool.connection().await
    }

    /// A transaction that is about no user's rows.
    pub(crate) async fn registry(&self) -> Result<Conn> {
        self.refuse_closed()?;
        Ok(Conn::of_all(self.pool.registry().await?))
    }

    /// One snapshot of what is about no user's rows.
    pub(crate) async fn snapshot(&self) -> Result<Conn> {
        self.refuse_closed()?;
        Ok(Conn::of_all(self.pool.snapshot().await?))
    }
}
