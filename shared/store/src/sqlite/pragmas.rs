//! Settings and keys of connections, and the version checks of SQLite and SQLCipher.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{DbKey, PAGE_CIPHER_PRAGMA, PAGE_CIPHER_QUIET};
use rusqlite::{Connection, OpenFlags};

use super::conn::{Args, Conn};
use super::options::SqliteOptions;
use super::rows::{Cells, ReadRow as _};
use super::{errors, export};

/// The first version without the write-ahead log reset race, which can corrupt a database.
const OLDEST_SQLITE: (u32, u32, u32) = (3, 51, 3);
/// The first SQLCipher based on such a SQLite.
const OLDEST_CIPHER: (u32, u32, u32) = (4, 14, 0);
/// Prepared statements cached per connection.
const STATEMENTS: usize = 64;
/// Page cache per connection, in KiB; `page_cache_bytes` limits all of them together.
const CACHE_KIB: &str = "-2000";

/// Settings of a connection. Has no `Debug`, because that would show the key.
pub(crate) struct How {
    path: PathBuf,
    flags: OpenFlags,
    busy_timeout: Duration,
    /// Run in this order. The key must come before all others.
    pragmas: Vec<(&'static str, String)>,
}

impl How {
    /// Settings of all connections; `first` come right after the key.
    fn new(path: &Path, options: &SqliteOptions, key: Option<&DbKey>, first: &[(&'static str, &str)]) -> Self {
        let mut pragmas = Vec::new();
        if let Some(key) = key {
            pragmas.push(("key", key.pragma().to_string()));
            pragmas.push((PAGE_CIPHER_PRAGMA.0, PAGE_CIPHER_PRAGMA.1.to_owned()));
        }
        pragmas.extend(first.iter().map(|&(name, value)| (name, value.to_owned())));
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let how = Self { path: path.to_owned(), flags, busy_timeout: options.busy_timeout, pragmas };
        // Sorting must not write text to temporary files.
        let how = how.pragma("foreign_keys", "ON").pragma("temp_store", "MEMORY").pragma("cache_size", CACHE_KIB);
        how.pragma("soft_heap_limit", &options.page_cache_bytes.to_string())
    }

    fn pragma(mut self, name: &'static str, value: &str) -> Self {
        self.pragmas.push((name, value.to_owned()));
        self
    }

    fn creating(mut self) -> Self {
        self.flags |= OpenFlags::SQLITE_OPEN_CREATE;
        self
    }

    /// Opens a connection.
    pub(crate) fn connect(&self) -> rusqlite::Result<Connection> {
        let raw = Connection::open_with_flags(&self.path, self.flags)?;
        raw.busy_timeout(self.busy_timeout)?;
        raw.set_prepared_statement_cache_capacity(STATEMENTS);
        for (name, value) in &self.pragmas {
            raw.execute_batch(&format!("PRAGMA {name} = {value}"))?;
        }
        Ok(raw)
    }
}

/// A connection that reads a vault; the file must exist. It is opened for writing, because the first one after a crash
/// must recover the write-ahead log, but it refuses every write.
pub(crate) fn reader(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> How {
    How::new(path, options, key, &[]).pragma("query_only", "ON")
}

/// A connection that reads a file that is never written; creates no other files beside it.
pub(crate) fn frozen(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> Result<How> {
    let address = export::address(path, "immutable=1")?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(How { path: address.into(), flags, ..How::new(path, options, key, &[]) })
}

/// A connection without a file, which can attach one file and copy it to a new one.
pub(crate) fn nowhere(options: &SqliteOptions) -> How {
    How::new(Path::new(":memory:"), options, None, &[]).creating().pragma("secure_delete", "ON")
}

/// A connection that writes; the file must exist. The writer runs checkpoints itself, outside of commits.
pub(crate) fn writer(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> How {
    let writer = How::new(path, options, key, &[]).pragma("synchronous", "FULL").pragma("secure_delete", "ON");
    let writer = writer.pragma("wal_autocheckpoint", "0");
    match options.max_vault_pages {
        Some(pages) => writer.pragma("max_page_count", &pages.to_string()),
        None => writer,
    }
}

/// A connection that creates a new file.
pub(crate) fn maker(path: &Path, options: &SqliteOptions, key: Option<&DbKey>) -> How {
    let maker = How::new(path, options, key, &[("page_size", "4096"), ("journal_mode", "WAL")]).creating();
    maker.pragma("synchronous", "FULL").pragma("secure_delete", "ON")
}

/// Stops SQLCipher from writing to stderr. Runs once per process, before any file is opened.
pub(crate) fn silence() -> Result<()> {
    static SILENT: OnceLock<()> = OnceLock::new();
    if SILENT.get().is_none() {
        let silent = Connection::open_in_memory().and_then(|raw| raw.execute_batch(PAGE_CIPHER_QUIET));
        silent.map_err(|error| errors::sql("setting up SQLCipher", &error))?;
        let _ = SILENT.set(());
    }
    Ok(())
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
        let mut conn = Conn::open(&maker(&path, &options, None), options.busy_timeout).unwrap();
        check_version(&mut conn).await.unwrap();
        conn.close().await.unwrap();
    }
}
