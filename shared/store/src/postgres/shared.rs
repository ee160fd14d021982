//! What every part of one store shares.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Clock;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgRow, Postgres};
use tokio::sync::Notify;

use super::conn::{self, Args, Conn};
use super::kept::KeptVaults;
use super::options::PgOptions;
use super::pool::Pool;
use crate::sealed::Analyser;
use crate::signals::Signals;

/// How often is looked for what was not used for a while; more often where that is shorter.
const SWEEP: Duration = Duration::from_mins(1);

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
    /// Forgets what is kept of vaults that were not used for a while. Ends when the store is closed or gone.
    pub(crate) async fn sweep(shared: Weak<Self>) {
        while let Some(idle) = shared.upgrade().filter(|shared| !shared.is_closed()).map(|shared| {
            shared.kept.forget_idle(shared.options.vault_idle);
            shared.options.vault_idle
        }) {
            tokio::time::sleep(SWEEP.min(idle)).await;
        }
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Refuses work after the end.
    pub(crate) fn refuse_closed(&self) -> Result<()> {
        if self.is_closed() {
            return Err(Error::storage(StorageFailure::Unavailable, "the store is closed: shutting down"));
        }
        Ok(())
    }

    /// A connection for one statement that is about no user's rows.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        self.refuse_closed()?;
        self.pool.connection().await
    }

    /// The rows of one statement, which is a transaction of its own.
    pub(crate) async fn rows<T: Send>(
        &self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        mut read: impl FnMut(&PgRow) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        let mut raw = self.connection().await?;
        let take = |row: &PgRow| {
            found.push(read(row)?);
            Ok(true)
        };
        conn::for_each(&mut raw, sql.into(), args, take).await.map_err(|failure| failure.into_error(doing))?;
        Ok(found)
    }

    /// The only row of one statement, if there is one.
    pub(crate) async fn row<T: Send>(
        &self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        read: impl FnMut(&PgRow) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        Ok(self.rows(doing, sql, args, read).await?.pop())
    }

    /// Runs one statement; returns the rows that it changed.
    pub(crate) async fn run(
        &self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
    ) -> Result<u64> {
        let mut raw = self.connection().await?;
        conn::for_each(&mut raw, sql.into(), args, |_| Ok(true)).await.map_err(|failure| failure.into_error(doing))
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
