//! State shared by all parts of one store.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Clock;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgRow, Postgres};
use tokio::sync::Notify;

use super::conn::{Args, Conn};
use super::options::PgOptions;
use super::pool::Pool;
use super::statement;
use super::user_states::UserStates;
use crate::sealed::Analyser;
use crate::signals::Signals;

/// Interval between sweeps for idle vaults; shorter if their idle time is shorter.
const SWEEP: Duration = Duration::from_mins(1);

/// Connections, clock and caches.
pub(crate) struct Shared {
    pub(crate) options: PgOptions,
    pub(crate) pool: Pool,
    pub(crate) clock: Arc<dyn Clock>,
    /// Tokenizes texts.
    pub(crate) analyser: Arc<Analyser>,
    pub(crate) states: UserStates,
    /// Notified after a commit with outbox rows.
    pub(crate) outbox: Arc<Notify>,
    /// Notifies followers of vaults.
    pub(crate) signals: Signals,
    pub(crate) closed: AtomicBool,
    /// Why there are no vectors, if there are none.
    pub(crate) no_vectors: Option<String>,
}

impl Shared {
    /// Evicts caches of idle vaults. Ends when the store is closed or dropped.
    pub(crate) async fn sweep(shared: Weak<Self>) {
        while let Some(idle) = shared.upgrade().filter(|shared| !shared.is_closed()).map(|shared| {
            shared.states.forget_idle(shared.options.vault_idle);
            shared.options.vault_idle
        }) {
            tokio::time::sleep(SWEEP.min(idle)).await;
        }
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Refuses work after the store was closed.
    pub(crate) fn refuse_closed(&self) -> Result<()> {
        if self.is_closed() {
            return Err(Error::storage(StorageFailure::Unavailable, "the store is closed: shutting down"));
        }
        Ok(())
    }

    /// Returns a connection for one statement on data shared by all users.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        self.refuse_closed()?;
        self.pool.connection().await
    }

    /// Runs one statement as its own transaction; returns its rows.
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
        statement::for_each(&mut raw, sql.into(), args, take).await.map_err(|failure| failure.into_error(doing))?;
        Ok(found)
    }

    /// Runs one statement; returns its only row, if there is one.
    pub(crate) async fn row<T: Send>(
        &self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        read: impl FnMut(&PgRow) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        Ok(self.rows(doing, sql, args, read).await?.pop())
    }

    /// Runs one statement; returns the number of changed rows.
    pub(crate) async fn run(
        &self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
    ) -> Result<u64> {
        let mut raw = self.connection().await?;
        statement::for_each(&mut raw, sql.into(), args, |_| Ok(true)).await.map_err(|failure| failure.into_error(doing))
    }

    /// Begins a transaction on data shared by all users.
    pub(crate) async fn registry(&self) -> Result<Conn> {
        self.refuse_closed()?;
        Ok(Conn::of_all(self.pool.registry().await?))
    }

    /// Opens a snapshot of data shared by all users.
    pub(crate) async fn snapshot(&self) -> Result<Conn> {
        self.refuse_closed()?;
        Ok(Conn::of_all(self.pool.snapshot().await?))
    }
}
