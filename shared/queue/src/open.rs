//! Opens `queue.db` with our pragmas and apalis's tables.
//!
//! Never calls apalis's `setup()`: it sets `synchronous=OFF`.

use std::{path::Path, sync::Arc, time::Duration};

use apalis_sqlite::SqliteStorage;
use sqlx::{
    ConnectOptions, SqlitePool,
    error::DatabaseError,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{error::QueueError, renewal::Renewal};

/// What must be linked, each with how to ask for it: a SQLite with the fix for damaged write-ahead logs, and with it a
/// SQLCipher, which encrypts.
const OLDEST: [(&str, &str, &str); 2] =
    [("SQLite", "SELECT sqlite_version()", "3.51.3"), ("SQLCipher", "PRAGMA cipher_version", "4.14.0")];
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Two processes that create the file at the same moment disturb each other: migrations take no lock.
const TRIES: u32 = 10;

/// A pool of one connection: our own writers queue fairly in memory instead of in busy loops.
pub(crate) async fn open(path: &Path, renewal: &Arc<Renewal>) -> Result<SqlitePool, QueueError> {
    let failed = |source| QueueError::Open { path: path.to_owned(), source };
    let mut tries = 1;
    loop {
        match prepare(path).await {
            Ok(()) => break,
            Err(e) if tries == TRIES || is_hopeless(&e) => return Err(failed(e)),
            Err(_) => tokio::time::sleep(Duration::from_millis(40) * tries).await,
        }
        tries += 1;
    }
    let pool = pool(path, renewal);
    check(&pool).await?;
    Ok(pool)
}

async fn prepare(path: &Path) -> Result<(), sqlx::Error> {
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(connect_options(path, true)).await?;
    let migrated = SqliteStorage::migrations().run(&pool).await;
    pool.close().await;
    migrated.map_err(sqlx::Error::from)
}

fn connect_options(path: &Path, create: bool) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(create)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .disable_statement_logging()
}

/// Later connections do not create the file: one that vanished is an error, not an empty queue.
fn pool(path: &Path, renewal: &Arc<Renewal>) -> SqlitePool {
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
        .connect_lazy_with(connect_options(path, false))
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

/// Not a database, or no way to open it: waiting changes nothing.
fn is_hopeless(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| matches!(code.as_ref(), "14" | "26"))
}
