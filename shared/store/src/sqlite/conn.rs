//! One connection: sends statements, together with the control statement that must come before them.
//!
//! Every call through sqlx is a round trip to the connection's thread, so `BEGIN` and its like wait for the first
//! statement and travel with it, and what ends a read is sent without waiting for the answer.

use std::borrow::Cow;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use kimberly_core::error::Result;
use sqlx::Arguments;
use sqlx::ConnectOptions;
use sqlx::Connection;
use sqlx::Either;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, SqlSafeStr};

use super::errors;
use super::notes::Notes;

/// Adds new memories to the full-text index, from their first to their last number.
pub(crate) const INDEX_NEW: &str =
    "INSERT INTO search (rowid, content) SELECT seq, content FROM searchable WHERE seq BETWEEN ? AND ?";

/// Values for the parameters of a statement, in order.
#[derive(Default)]
pub(crate) struct Args(SqliteArguments);

impl Args {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// These values and one more.
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
        // Encoding fails for no type used here; were it to, the statement would read NULL and fail its constraint.
        let added = Arguments::add(&mut self.0, value);
        debug_assert!(added.is_ok());
    }
}

/// A connection to one file.
pub(crate) struct Conn {
    raw: SqliteConnection,
    busy_timeout: Duration,
    /// Sent in front of the next statement.
    ahead: &'static str,
    /// Whether a statement failed, so that the transaction is in doubt.
    failed: bool,
    /// What the open transaction has put off.
    pub(crate) notes: Notes,
}

impl Conn {
    /// Opens a connection.
    pub(crate) async fn open(options: &SqliteConnectOptions, busy_timeout: Duration) -> Result<Self> {
        let raw = options.connect().await.map_err(|e| errors::sql("opening a database file", &e))?;
        Ok(Self { raw, busy_timeout, ahead: "", failed: false, notes: Notes::default() })
    }

    /// How long this connection waits for locks.
    pub(crate) fn busy_timeout(&self) -> Duration {
        self.busy_timeout
    }

    /// Sends `control` together with the next statement.
    pub(crate) fn send_ahead(&mut self, control: &'static str) {
        self.ahead = control;
    }

    /// Whether nothing was sent since [`Self::send_ahead`]; forgets the control statement then.
    pub(crate) fn take_unsent(&mut self) -> bool {
        !std::mem::take(&mut self.ahead).is_empty()
    }

    /// Whether any statement failed since the connection was opened or [`Self::forgive`] was called.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Forgets failures: the transaction they happened in was rolled back.
    pub(crate) fn forgive(&mut self) {
        self.failed = false;
    }

    /// Runs statements and hands every row to `take` until it says `false`; returns the rows changed.
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
                    self.failed = true;
                    return Err(errors::sql(doing, &e));
                }
            }
        }
        Ok(changed)
    }

    /// Runs statements; returns the rows that the last one changed.
    pub(crate) async fn run(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
    ) -> Result<u64> {
        self.for_each(doing, sql, args, |_| Ok(true)).await
    }

    /// Runs statements; returns the rows, read by `read`.
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

    /// Brings the full-text index up to date with the memories inserted in this transaction.
    pub(crate) async fn settle_index(&mut self) -> Result<()> {
        let Some((first, last)) = self.notes.unindexed.take() else { return Ok(()) };
        self.run("indexing new memories", INDEX_NEW, Args::new().with(first).with(last)).await?;
        Ok(())
    }

    /// Ends the open read without waiting: the command stands in the connection's queue before whatever comes next.
    pub(crate) fn end_read(&mut self) {
        if self.take_unsent() {
            return;
        }
        let query = sqlx::query("COMMIT");
        let mut answers = sqlx::Executor::fetch_many(&mut self.raw, query);
        let answered = answers.next().now_or_never();
        drop(answers);
        if let Some(Some(Err(_))) = answered {
            self.failed = true;
        }
    }

    /// Closes the connection and waits until it is closed.
    pub(crate) async fn close(self) -> Result<()> {
        self.raw.close().await.map_err(|e| errors::sql("closing a database file", &e))
    }
}
