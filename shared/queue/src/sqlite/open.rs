//! Opens `queue.db` with our pragmas and apalis's tables.
//!
//! Never calls apalis's `setup()`: it sets `synchronous=OFF`.

use std::{path::Path, sync::Arc, time::Duration};

use apalis_sqlite::SqliteStorage;
use kimberly_crypto::{DbKey, PAGE_CIPHER_PRAGMA, PAGE_CIPHER_QUIET, overwrite_index_in_place};
use sqlx::{
    ConnectOptions, Connection, SqlitePool,
    error::DatabaseError,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::OnceCell;

use super::{renewal::Renewal, whole};
use crate::error::QueueError;

/// Minimum versions of the linked libraries, each with the query for it: a SQLite with the WAL-reset fix, built as
/// SQLCipher for encryption.
const OLDEST: [(&str, &str, &str); 2] =
    [("SQLite", "SELECT sqlite_version()", "3.51.3"), ("SQLCipher", "PRAGMA cipher_version", "4.14.0")];
/// Finds the last turn of a user (see `turns`).
const TURNS: &str = "CREATE INDEX IF NOT EXISTS kimberly_turns ON Jobs (job_type, metadata ->> '$.user', priority) \
     WHERE status = 'Pending'";
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Concurrent creations of the file disturb each other, since migrations take no lock.
const TRIES: u32 = 10;
/// A connection that opens an encrypted file while it is empty generates its own salt, which differs from the one
/// written by another process; a new connection reads the right one.
const TRIES_FOR_A_SALT: u32 = 4;

/// A pool of one connection: our own writers queue in memory instead of busy-waiting on SQLite. `beside_vaults`:
/// whether vaults existed before the file was opened.
pub(super) async fn open(
    path: &Path,
    key: Option<&DbKey>,
    beside_vaults: bool,
    renewal: &Arc<Renewal>,
) -> Result<SqlitePool, QueueError> {
    let failed = |source| {
        let path = path.to_owned();
        if is_damage(&source) { QueueError::Damaged(path) } else { QueueError::Open { path, source } }
    };
    super::refuse_full(path).map_err(failed)?;
    overwrite_index_in_place(path);
    silence().await?;
    let patience = if key.is_some() { TRIES_FOR_A_SALT } else { 1 };
    let mut tries = 1;
    loop {
        match prepare(connect_options(path, key, true), beside_vaults).await {
            Ok(()) => break,
            Err(e) if tries == TRIES || is_hopeless(&e, tries >= patience) => return Err(failed(e)),
            Err(_) => tokio::time::sleep(Duration::from_millis(40) * tries).await,
        }
        tries += 1;
    }
    let pool = pool(connect_options(path, key, false), renewal);
    check(&pool).await?;
    Ok(pool)
}

/// Stops SQLCipher from writing to stderr: once per process, before any file is opened.
async fn silence() -> Result<(), sqlx::Error> {
    static SILENT: OnceCell<()> = OnceCell::const_new();
    let silence = || async {
        let mut conn = SqliteConnectOptions::new().filename(":memory:").connect().await?;
        sqlx::raw_sql(PAGE_CIPHER_QUIET).execute(&mut conn).await?;
        conn.close().await
    };
    SILENT.get_or_try_init(silence).await.copied()
}

async fn prepare(options: SqliteConnectOptions, beside_vaults: bool) -> Result<(), sqlx::Error> {
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
    let migrated = migrate(&pool, beside_vaults).await;
    pool.close().await;
    migrated
}

async fn migrate(pool: &SqlitePool, beside_vaults: bool) -> Result<(), sqlx::Error> {
    if beside_vaults {
        whole::note_lack(pool).await?;
    }
    SqliteStorage::migrations().run(pool).await?;
    sqlx::query(TURNS).execute(pool).await.map(drop)
}

/// Never log these options: their `Debug` shows the key.
pub(super) fn connect_options(path: &Path, key: Option<&DbKey>, create: bool) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(create);
    let options = match key {
        Some(key) => options.pragma("key", key.pragma().to_string()).pragma(PAGE_CIPHER_PRAGMA.0, PAGE_CIPHER_PRAGMA.1),
        None => options,
    };
    options
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        // Jobs name users, and no trace of a purged user may stay.
        .pragma("secure_delete", "ON")
        .foreign_keys(true)
        .disable_statement_logging()
}

/// Later connections do not create the file: a missing file is an error, not an empty queue.
fn pool(options: SqliteConnectOptions, renewal: &Arc<Renewal>) -> SqlitePool {
    let (opened, taken) = (Arc::clone(renewal), Arc::clone(renewal));
    SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(Duration::from_secs(10))
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(move |_, _| {
            opened.note_opened();
            Box::pin(async { Ok(()) })
        })
        .before_acquire(move |_, meta| {
            let usable = taken.is_fresh(meta.age);
            Box::pin(async move { Ok(usable) })
        })
        .connect_lazy_with(options)
}

async fn check(pool: &SqlitePool) -> Result<(), QueueError> {
    for (what, ask, wanted) in OLDEST {
        let found: Option<String> = sqlx::query_scalar(ask).fetch_optional(pool).await?;
        let found = found.unwrap_or_else(|| "none".to_owned());
        if version(&found) < version(wanted) {
            return Err(QueueError::TooOld { what, found, wanted });
        }
    }
    for (pragma, ask, wanted) in [
        ("journal_mode", "SELECT * FROM pragma_journal_mode", "wal"),
        ("synchronous", "SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous", "2"),
        ("foreign_keys", "SELECT CAST(foreign_keys AS TEXT) FROM pragma_foreign_keys", "1"),
    ] {
        let found: String = sqlx::query_scalar(ask).fetch_one(pool).await?;
        if found != wanted {
            return Err(QueueError::Pragma { pragma, wanted, found });
        }
    }
    Ok(())
}

fn version(text: &str) -> Vec<u32> {
    text.split(['.', ' ']).map(|part| part.parse().unwrap_or(0)).collect()
}

/// SQLite's error code for a file that is not a database, or has another key.
const NO_DATABASE: i32 = 26;
/// SQLite's code for malformed pages.
const CORRUPT: i32 = 11;
/// SQLite's code for a truncated file.
const SHORT_READ: i32 = 522;
/// SQLite's code for a file that cannot be opened.
const CANNOT_OPEN: i32 = 14;

/// Whether retrying is pointless. `salted`: a wrong salt is ruled out, so a new connection would not help either.
fn is_hopeless(error: &sqlx::Error, salted: bool) -> bool {
    match code(error) {
        Some(CANNOT_OPEN) => true,
        Some(NO_DATABASE) => salted,
        _ => false,
    }
}

/// Whether the file's content is damaged, which retrying does not fix.
pub(super) fn is_damage(error: &sqlx::Error) -> bool {
    code(error).is_some_and(|code| code == SHORT_READ || matches!(code & 0xff, CORRUPT | NO_DATABASE))
}

fn code(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error().and_then(DatabaseError::code)?.parse().ok()
}
