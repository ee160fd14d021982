//! The statements on keys. Each is its own transaction and may be repeated if its answer was lost: readers see the same
//! result.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{KeyError, MAX_KEY_FILE_BYTES};
use sqlx::postgres::PgRow;

use crate::postgres::conn::Args;
use crate::postgres::errors;
use crate::postgres::pool::Pool;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::statement::{self, Failure};

/// The name under which the id is stored.
pub(crate) const ID: &str = "id";
/// Reads one byte more than the bound, so that the reader detects files that are too long.
pub(crate) const READ: &str = "SELECT substr(file, 1, $2) FROM wrapped_keys WHERE name = $1";
const CREATE: &str = "INSERT INTO wrapped_keys (name, file) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
const REPLACE: &str = "UPDATE wrapped_keys SET file = $3 WHERE name = $1 AND file = $2";
const DESTROY: &str = "DELETE FROM wrapped_keys WHERE name = $1";
const HOLDS_USERS: &str = "SELECT EXISTS (SELECT 1 FROM users)";
const USERS: &str = "SELECT name FROM wrapped_keys WHERE length(name) = 64 AND name > $1 ORDER BY name LIMIT $2";

/// Attempts per statement whose connection breaks.
const TRIES: u32 = 3;

/// The table of wrapped keys.
#[derive(Clone)]
pub(super) struct Table {
    pool: Arc<Pool>,
    /// The longest that a caller waits, because the server may vanish without notice.
    patience: Duration,
}

/// Parses an id of keys.
pub(crate) fn id(bytes: &[u8]) -> Result<String, KeyError> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    if text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Ok(text.to_owned());
    }
    let (what, problem) = ("the id of the keys in Postgres".to_owned(), "it is not 16 hexadecimal digits".to_owned());
    Err(KeyError::Damaged { what, problem })
}

/// Returns the values of [`READ`].
pub(crate) fn read_args(name: &str) -> Args {
    Args::none().with(name.to_owned()).with(i32::try_from(MAX_KEY_FILE_BYTES + 1).unwrap_or(i32::MAX))
}

impl Table {
    pub(super) fn new(pool: Pool, patience: Duration) -> Self {
        Self { pool: Arc::new(pool), patience }
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    pub(super) async fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let mut found = None;
        let read = |row: &PgRow| {
            found = Cells::new(row).opt_bytes()?.map(<[u8]>::to_vec);
            Ok(true)
        };
        self.send(READ, || read_args(name), read).await?;
        Ok(found)
    }

    /// Creates a key; returns whether there was none.
    pub(super) async fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool> {
        let args = || Args::none().with(name.to_owned()).with(bytes.clone());
        Ok(self.send(CREATE, args, |_| Ok(true)).await? > 0)
    }

    /// Replaces a key; returns whether `old` was stored.
    pub(super) async fn replace(&self, name: &str, old: Vec<u8>, new: Vec<u8>) -> Result<bool> {
        let args = || Args::none().with(name.to_owned()).with(old.clone()).with(new.clone());
        Ok(self.send(REPLACE, args, |_| Ok(true)).await? > 0)
    }

    /// Destroys a key; returns whether there was one.
    pub(super) async fn destroy(&self, name: &str) -> Result<bool> {
        Ok(self.send(DESTROY, || Args::none().with(name.to_owned()), |_| Ok(true)).await? > 0)
    }

    /// Reports whether there are users, with or without keys.
    pub(super) async fn holds_users(&self) -> Result<bool> {
        let mut found = false;
        let read = |row: &PgRow| {
            found = Cells::new(row).flag()?;
            Ok(true)
        };
        self.send(HOLDS_USERS, Args::none, read).await?;
        Ok(found)
    }

    /// Returns hashes of users in order.
    pub(super) async fn users(&self, after: String, limit: usize) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let args = || Args::none().with(after.clone()).with(i64::try_from(limit).unwrap_or(i64::MAX));
        let read = |row: &PgRow| {
            found.push(Cells::new(row).text()?);
            Ok(true)
        };
        self.send(USERS, args, read).await?;
        // If an answer broke off, its beginning was read twice.
        found.sort_unstable();
        found.dedup();
        found.truncate(limit);
        Ok(found)
    }

    async fn send(
        &self,
        sql: &'static str,
        args: impl Fn() -> Args,
        take: impl FnMut(&PgRow) -> Result<bool> + Send,
    ) -> Result<u64> {
        let silent = |_| Error::storage(StorageFailure::Unavailable, "Postgres does not answer");
        tokio::time::timeout(self.patience, self.try_send(sql, args, take)).await.map_err(silent)?
    }

    async fn try_send(
        &self,
        sql: &'static str,
        args: impl Fn() -> Args,
        mut take: impl FnMut(&PgRow) -> Result<bool> + Send,
    ) -> Result<u64> {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut raw = self.pool.connection().await?;
            match statement::for_each(&mut raw, sql.into(), args(), &mut take).await {
                Ok(changed) => return Ok(changed),
                Err(Failure::Sql(error)) if tries < TRIES && errors::may_be_done_again(&error) => {}
                Err(failure) => return Err(failure.into_error("Postgres")),
            }
        }
    }
}
