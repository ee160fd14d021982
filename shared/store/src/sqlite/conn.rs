//! A connection, which sends a pending control statement together with the next statement.
//!
//! Every call through sqlx is a round trip to the connection's thread. Therefore `BEGIN` and similar statements wait
//! for the next statement and travel with it, and the statement that ends a read is sent without waiting for the
//! answer.

mod reads;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt;
use kimberly_core::audit::AuditHead;
use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::Arguments;
use sqlx::Connection;
use sqlx::Either;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};

use super::courtesy::Courtesy;
use super::errors;
use super::notes::Notes;
use super::pragmas::How;
use crate::sealed::Seals;

/// Adds memories to the full-text index, from a first to a last number.
pub(crate) const INDEX_NEW: &str =
    "INSERT INTO search (rowid, content) SELECT seq, content FROM searchable WHERE seq BETWEEN ? AND ?";

/// Steps of SQLite's virtual machine between checks for cancellation: several checks per millisecond.
const STEPS_BETWEEN_LOOKS: i32 = 1_000;

/// Parameter values of a statement, in order.
#[derive(Default)]
pub(crate) struct Args(SqliteArguments);

impl Args {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a value and returns the arguments.
    pub(crate) fn with<'v, T>(mut self, value: T) -> Self
    where
        T: sqlx::Encode<'v, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
    {
        self.push(value);
        self
    }

    /// Adds a value.
    pub(crate) fn push<'v, T>(&mut self, value: T)
    where
        T: sqlx::Encode<'v, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
    {
        // Encoding never fails for the types used here; if it did, the statement would read NULL and fail its constraint.
        let added = Arguments::add(&mut self.0, value);
        debug_assert!(added.is_ok());
    }
}

/// A connection to one file.
pub(crate) struct Conn {
    raw: SqliteConnection,
    busy_timeout: Duration,
    /// Cancels the running statement when set; `None` if the connection does not support that.
    broken_off: Option<Arc<AtomicBool>>,
    /// Whether a statement was sent and has not finished.
    running: bool,
    /// Control statement to send before the next statement.
    ahead: &'static str,
    /// Error code of the last failed statement; the transaction is then in doubt.
    failure: Option<i32>,
    /// Work that the open transaction has postponed.
    pub(crate) notes: Notes,
    /// End of the audit's chain, as last written by this connection.
    pub(crate) audit_head: Option<AuditHead>,
    /// Opens sealed memories; `None` if the file is not a user's vault.
    pub(crate) seals: Option<Arc<Seals>>,
    /// SQL of a no-op change that replaces a failed commit; only on writing connections.
    rewrite: Option<String>,
}

impl Conn {
    /// Opens a connection.
    pub(crate) async fn open(how: &How, busy_timeout: Duration) -> Result<Self> {
        let raw = how.connect().await.map_err(|e| errors::sql("opening a database file", &e))?;
        let notes = Notes::default();
        Ok(Self {
            raw,
            busy_timeout,
            broken_off: None,
            running: false,
            ahead: "",
            failure: None,
            notes,
            audit_head: None,
            seals: None,
            rewrite: None,
        })
    }

    /// Opens a connection whose running statements can be cancelled.
    pub(crate) async fn open_breakable(how: &How, busy_timeout: Duration) -> Result<Self> {
        let mut conn = Self::open(how, busy_timeout).await?;
        let broken_off = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&broken_off);
        let mut handle = conn.raw.lock_handle().await.map_err(|e| errors::sql("opening a database file", &e))?;
        let mut courtesy = Courtesy::default();
        handle.set_progress_handler(STEPS_BETWEEN_LOOKS, move || {
            courtesy.show();
            !flag.load(Ordering::Relaxed)
        });
        drop(handle);
        Ok(Self { broken_off: Some(broken_off), ..conn })
    }

    /// Enables undoing commits that fail in their last step; `rewrite` is a no-op change.
    pub(crate) fn take_back_by(self, rewrite: String) -> Self {
        Self { rewrite: Some(rewrite), ..self }
    }

    /// How long this connection waits for locks.
    pub(crate) fn busy_timeout(&self) -> Duration {
        self.busy_timeout
    }

    /// Sends `control` together with the next statement.
    pub(crate) fn send_ahead(&mut self, control: &'static str) {
        self.ahead = control;
    }

    /// Returns whether `send_ahead` was called without a statement since, and drops the control statement.
    pub(crate) fn take_unsent(&mut self) -> bool {
        !std::mem::take(&mut self.ahead).is_empty()
    }

    /// Reports whether a statement failed since the connection was opened or [`Self::forgive`] was called.
    pub(crate) fn failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Returns SQLite's code of the last failure, under the same rule as [`Self::failed`].
    pub(crate) fn failure(&self) -> Option<i32> {
        self.failure
    }

    /// Clears failures after their transaction was rolled back.
    pub(crate) fn forgive(&mut self) {
        self.failure = None;
    }

    /// Runs statements and passes every row to `take` until it returns `false`; returns the number of changed rows.
    pub(crate) async fn for_each(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        mut take: impl FnMut(&SqliteRow) -> Result<bool> + Send,
    ) -> Result<u64> {
        let sql = match (std::mem::take(&mut self.ahead), sql.into()) {
            ("", Cow::Borrowed(sql)) => sql.into_sql_str(),
            ("", Cow::Owned(sql)) => AssertSqlSafe(sql).into_sql_str(),
            (ahead, sql) => AssertSqlSafe(format!("{ahead}{sql}")).into_sql_str(),
        };
        // Stays set if the caller is cancelled.
        self.running = true;
        let outcome = self.consume(doing, sql, args, &mut take).await;
        self.running = false;
        outcome
    }

    async fn consume(
        &mut self,
        doing: &'static str,
        sql: SqlStr,
        args: Args,
        take: &mut (impl FnMut(&SqliteRow) -> Result<bool> + Send),
    ) -> Result<u64> {
        let mut changed = 0;
        let query = sqlx::query_with(sql, args.0);
        let mut answers = sqlx::Executor::fetch_many(&mut self.raw, query);
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(Either::Left(done)) => changed = done.rows_affected(),
                Ok(Either::Right(row)) => {
                    if !take(&row)? {
                        break;
                    }
                }
                Err(e) => {
                    drop(answers);
                    let code = errors::code(&e);
                    self.failure = Some(code);
                    let failed = errors::sql(doing, &e);
                    return Err(if errors::may_be_in_log(code) { self.take_back(failed).await } else { failed });
                }
            }
        }
        Ok(changed)
    }

    /// Undoes a commit whose sync failed. Such a commit is complete in the log, after the committed part, and a process
    /// that opens the file after a crash would replay it. Another commit must overwrite it; until one does, the outcome
    /// is in doubt.
    async fn take_back(&mut self, failed: Error) -> Error {
        let Some(rewrite) = self.rewrite.clone() else { return failed };
        // Fails if SQLite has already rolled back.
        let _ = sqlx::raw_sql("ROLLBACK").execute(&mut self.raw).await;
        match sqlx::raw_sql(AssertSqlSafe(rewrite)).execute(&mut self.raw).await {
            Ok(_) => failed,
            Err(again) => {
                let again = errors::sql("overwriting a failed commit", &again);
                Error::storage(StorageFailure::InDoubt, format!("{failed}; {again}"))
            }
        }
    }

    /// Runs statements; returns the number of rows that the last one changed.
    pub(crate) async fn run(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
    ) -> Result<u64> {
        self.for_each(doing, sql, args, |_| Ok(true)).await
    }

    /// Runs statements; returns the rows, each read by `read`.
    pub(crate) async fn rows<T: Send>(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        mut read: impl FnMut(&SqliteRow) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.for_each(doing, sql, args, |row| {
            found.push(read(row)?);
            Ok(true)
        })
        .await?;
        Ok(found)
    }

    /// Runs statements; returns the last row, read by `read`, if there is one.
    pub(crate) async fn row<T: Send>(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        mut read: impl FnMut(&SqliteRow) -> Result<T> + Send,
    ) -> Result<Option<T>> {
        let mut found = None;
        self.for_each(doing, sql, args, |row| {
            found = Some(read(row)?);
            Ok(true)
        })
        .await?;
        Ok(found)
    }

    /// Adds the memories inserted in this transaction to the full-text index.
    pub(crate) async fn settle_index(&mut self) -> Result<()> {
        let Some((first, last)) = self.notes.unindexed.take() else { return Ok(()) };
        self.run("indexing new memories", INDEX_NEW, Args::new().with(first).with(last)).await?;
        Ok(())
    }

    /// Closes the connection and waits until it is closed.
    pub(crate) async fn close(self) -> Result<()> {
        self.raw.close().await.map_err(|e| errors::sql("closing a database file", &e))
    }
}
