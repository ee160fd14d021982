//! Settings and keys of connections, and the version checks of SQLite and SQLCipher.

use std::path::Path;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{DbKey, PAGE_CIPHER_PRAGMA, PAGE_CIPHER_QUIET};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::OnceCell;

use super::conn::{Args, Conn};
use super::errors;
use super::options::SqliteOptions;
use super::rows::Cells;

/// The first version without the write-ahead log reset race, which can corrupt a database.
const OLDEST_SQLITE: (u32, u32, u32) = (3, 51, 3);
/// The first SQLCipher based on such a SQLite.
const OLDEST_CIPHER: (u32, u32, u32) = (4, 14, 0);
/// Prepared statements cached per connection.
const STATEMENTS: usize = 64;
/// Rows buffered between a connection's thread and its reader.
const ROWS_AHEAD: usize = 128;
/// Page cache per connection, in KiB; `page_cache_bytes` limits all of them together.
const CACHE_KIB: &str = "-2000";

/// Settings of a connection. Has no `Debug`, because that of sqlx's options shows the key.
pub(crate) struct How(SqliteConnectOptions);

impl How {
    /// Opens a connection.
    pub(crate) async fn connect(&self) -> std::result::Result<SqliteConnection, sqlx::Error> {
        self.0.connect().await
    }
}

fn common(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> SqliteConnectOptions {
    let common = SqliteConnectOptions::new().filename(path);
    // The key must come before all other pragmas.
    let common = match key {
        Some(key) => common.pragma("key", key.pragma().to_string()).pragma(PAGE_CIPHER_PRAGMA.0, PAGE_CIPHER_PRAGMA.1),
        None => common,
    };
    common
        .busy_timeout(options.busy_timeout)
        .statement_cache_capacity(STATEMENTS)
        .row_buffer_size(ROWS_AHEAD)
        .thread_name(|id| format!("sqlite-{id}"))
        // Sorting must not write text to temporary files.
        .pragma("temp_store", "MEMORY")
        .pragma("cache_size", CACHE_KIB)
        .pragma("soft_heap_limit", options.page_cache_bytes.to_string())
        // Statements are never logged, because they may contain words of a query.
        .disable_statement_logging()
}

/// A connection that reads a vault; the file must exist. It is opened for writing, because the first one after a crash
/// must recover the write-ahead log, but it refuses every write.
pub(crate) fn reader(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> How {
    How(common(path, options, key).pragma("query_only", "ON"))
}

/// A connection that reads a file that is never written; creates no other files beside it.
pub(crate) fn frozen(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> How {
    How(common(path, options, key).read_only(true).immutable(true))
}

/// A connection without a file, which can attach one file and copy it to a new one.
pub(crate) fn nowhere(options: &SqliteOptions) -> How {
    How(common(Path::new(":memory:"), options, None).create_if_missing(true).pragma("secure_delete", "ON"))
}

/// A connection that writes; the file must exist. The writer runs checkpoints itself, outside of commits.
pub(crate) fn writer(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> How {
    let writer = common(path, options, key)
        .synchronous(SqliteSynchronous::Full)
        .pragma("secure_delete", "ON")
        .pragma("wal_autocheckpoint", "0");
    How(match options.max_vault_pages {
        Some(pages) => writer.pragma("max_page_count", pages.to_string()),
        None => writer,
    })
}

/// A connection that creates a new file.
pub(crate) fn maker(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> How {
    let maker = common(path, options, key).create_if_missing(true).page_size(4096);
    How(maker.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full).pragma("secure_delete", "ON"))
}

/// Stops SQLCipher from writing to stderr. Runs once per process, before any file is opened.
pub(crate) async fn silence() -> Result<()> {
    static SILENT: OnceCell<()> = OnceCell::const_new();
    let silence = || async {
        let mut conn = SqliteConnectOptions::new().filename(":memory:").connect().await?;
        sqlx::raw_sql(PAGE_CIPHER_QUIET).execute(&mut conn).await?;
        conn.close().await
    };
    SILENT.get_or_try_init(silence).await.copied().map_err(|error| errors::sql("setting up SQLCipher", &error))
}

/// Refuses a SQLite without the fix for the write-ahead log, or without encryption.
pub(crate) async fn check_version(conn: &mut Conn) -> Result<()> {
    for (what, ask, (major, minor, patch), why) in [
        ("SQLite", "SELECT sqlite_version()", OLDEST_SQLITE, "older ones can damage a write-ahead log"),
        ("SQLCipher", "PRAGMA cipher_version", OLDEST_CIPHER, "vaults are encrypted with it"),
    ] {
        let found = conn.row("reading the SQLite version", ask, Args::new(), |row| Cells::new(row).text()).await?;
        let found = found.unwrap_or_else(|| "none".to_owned());
        if numbers(&found) < (major, minor, patch) {
            let detail =
                format!("this build holds {what} {found}; {major}.{minor}.{patch} or later is needed, as {why}");
            return Err(Error::storage(StorageFailure::Defect, detail));
        }
    }
    Ok(())
}

/// Parses the leading numbers of a version; anything else counts as 0.
fn numbers(version: &str) -> (u32, u32, u32) {
    let mut parts = version.split(['.', ' ']).map(|part| part.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers_and_none_is_older_than_any() {
        assert_eq!(numbers("4.19.0 community"), (4, 19, 0));
        assert_eq!(numbers("3.53.4"), (3, 53, 4));
        assert!(numbers("4.9.0 community") < OLDEST_CIPHER && numbers("none") < OLDEST_CIPHER);
        assert!(numbers("3.51.2") < OLDEST_SQLITE && numbers("3.51.3") >= OLDEST_SQLITE);
    }

    #[tokio::test]
    async fn what_is_linked_can_encrypt_and_share_a_write_ahead_log() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path());
        let path = folder.path().join("some.db");
        let mut conn = Conn::open(&maker(&path, &options, None), options.busy_timeout).await.unwrap();
        check_version(&mut conn).await.unwrap();
        conn.close().await.unwrap();
    }
}
