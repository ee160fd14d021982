//! Connections to Postgres, and transactions over them.

use std::str::FromStr;

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, Postgres};
use sqlx::{AssertSqlSafe, ConnectOptions, Transaction};

use super::errors;
use super::options::PgOptions;

/// One snapshot for all statements, and none that writes.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Writers of one vault wait for each other at its row, and see what the one before wrote.
const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// The connections of this process.
#[derive(Clone)]
pub(crate) struct Pool {
    pool: PgPool,
}

impl Pool {
    /// Connects. Each connection works in the schema, waits no longer than it may, and logs no statement.
    pub(crate) async fn connect(options: &PgOptions) -> Result<Self> {
        let pool = PgPoolOptions::new()
            .max_connections(options.max_connections.max(2))
            .acquire_timeout(options.connect_timeout)
            .connect_with(how(&options.url, options)?)
            .await
            .map_err(|e| errors::sql("connecting to Postgres", &e))?;
        Ok(Self { pool })
    }

    /// Begins to read one user's rows.
    pub(crate) async fn read(&self, user: &UserId) -> Result<Transaction<'static, Postgres>> {
        self.begin(READ, Some(user)).await
    }

    /// Begins to write one user's rows.
    pub(crate) async fn write(&self, user: &UserId) -> Result<Transaction<'static, Postgres>> {
        self.begin(WRITE, Some(user)).await
    }

    /// Begins a transaction that is about no user's rows.
    pub(crate) async fn registry(&self) -> Result<Transaction<'static, Postgres>> {
        self.begin(WRITE, None).await
    }

    /// Begins to read what is about no user's rows.
    pub(crate) async fn snapshot(&self) -> Result<Transaction<'static, Postgres>> {
        self.begin(READ, None).await
    }

    /// A connection for statements that are transactions of their own.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        self.pool.acquire().await.map_err(|e| errors::sql("connecting to Postgres", &e))
    }

    async fn begin(&self, begin: &str, user: Option<&UserId>) -> Result<Transaction<'static, Postgres>> {
        // One round trip. The setting, which row-level security asks for, ends with the transaction.
        let sql = match user {
            Some(user) => format!("{begin}; SET LOCAL kimberly.user_id = {}", quoted(user.as_str())),
            None => begin.to_owned(),
        };
        let begun = self.pool.begin_with(AssertSqlSafe(sql)).await;
        begun.map_err(|e| errors::sql("beginning a transaction", &e))
    }

    /// Closes every connection.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

/// How one connects to a database.
pub(crate) fn how(url: &str, options: &PgOptions) -> Result<PgConnectOptions> {
    // The message of the parser may hold the address, and with it a password.
    let bad = |_| {
        let detail = "the address of Postgres is not readable: it must look like postgres://role@host:port/database";
        Error::storage(StorageFailure::Defect, detail)
    };
    let millis = |time: std::time::Duration| format!("{}ms", time.as_millis());
    let how = PgConnectOptions::from_str(url).map_err(bad)?;
    Ok(how
        .application_name("kimberly")
        .options([
            ("search_path", options.schema.clone() + ",public"),
            ("statement_timeout", millis(options.statement_timeout)),
            ("lock_timeout", millis(options.lock_timeout)),
            ("idle_in_transaction_session_timeout", millis(options.statement_timeout)),
            ("standard_conforming_strings", "on".to_owned()),
        ])
        .disable_statement_logging())
}

/// The class of the lock under which one process migrates at a time: the first letters of "kimberly".
pub(crate) const MIGRATING: i32 = 0x6b69_6d62;
/// The class of the lock under which one process works on purges at a time.
pub(crate) const PURGES: i32 = MIGRATING + 1;

/// A name in quotes.
pub(crate) fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as a literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled_and_nothing_else_is_special() {
        assert_eq!(quoted("o'neil\\'; DROP TABLE vaults"), "'o''neil\\''; DROP TABLE vaults'");
    }

    #[test]
    fn an_address_that_is_none_is_refused_without_its_password() {
        let error = how("postgres://ada:secret@:bad:port", &PgOptions::new("x")).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
