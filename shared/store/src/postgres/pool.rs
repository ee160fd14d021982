//! Connections to Postgres, and transactions over them.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::error::DatabaseError;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, Postgres};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection as _, Transaction};

use super::errors;
use super::options::PgOptions;

/// One snapshot for all statements, and none that writes.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Writers of one vault wait for each other at its row, and see what the one before wrote.
const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
/// The timeline that is written, with which names of files of the log begin; none on a server that follows another one.
const TIMELINE: &str =
    "SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END";
/// How long is waited before another connection is tried in the place of one that broke.
const BETWEEN: Duration = Duration::from_millis(20);

/// The class of the lock under which one process migrates at a time: the first letters of "kimberly".
pub(crate) const MIGRATING: i32 = 0x6b69_6d62;
/// The class of the lock under which one process works on purges at a time.
pub(crate) const PURGES: i32 = MIGRATING + 1;
/// The class of the locks under which one process works on the vectors of a user at a time.
pub(crate) const TURNS: i32 = MIGRATING + 2;
/// The class of the lock under which one process makes and removes graphs of vectors at a time.
pub(crate) const GRAPHS: i32 = MIGRATING + 3;

/// The class of the lock that every connection holds beside others, and that one which moves everything to elsewhere holds alone.
pub(crate) const IN_USE: i32 = MIGRATING + 4;

/// The connections of this process.
#[derive(Clone)]
pub(crate) struct Pool {
    connections: PgPool,
    stale: Arc<Stale>,
    patience: Duration,
    history: Arc<History>,
}

/// Which history of writes the server is on. A follower that takes its leader's place, or a backup that is rolled forward to some
/// time, begins another one, in which commits that were seen may be missing.
#[derive(Default)]
struct History {
    /// The timeline, as Postgres numbers them.
    timeline: Mutex<Option<String>>,
    /// How many were seen besides the first.
    others: Arc<AtomicU64>,
}

impl History {
    /// Takes note of the timeline of a new connection, before anybody works over it.
    fn see(&self, timeline: String) {
        let mut seen = self.timeline.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.as_ref().is_some_and(|seen| *seen != timeline) {
            self.others.fetch_add(1, Ordering::Release);
        }
        *seen = Some(timeline);
    }
}

/// Since when no connection is good that was made before: then a server was found to be one that cannot write any more.
#[derive(Default)]
struct Stale(Mutex<Option<Instant>>);

impl Stale {
    fn all(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is(&self, age: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| age >= since.elapsed())
    }
}

impl Pool {
    /// Connects. Each connection works in the schema, waits no longer than it may, and logs no statement.
    pub(crate) async fn connect(options: &PgOptions) -> Result<Self> {
        let stale = Arc::new(Stale::default());
        let looked_at = Arc::clone(&stale);
        let history = Arc::new(History::default());
        let seen = Arc::clone(&history);
        let admitted: Arc<str> = admitted(options).into();
        let pool = PgPoolOptions::new()
            .max_connections(options.max_connections.max(2))
            .acquire_timeout(options.connect_timeout)
            // A round trip that whoever begins makes anyway: a connection that broke while it lay idle fails there.
            .test_before_acquire(false)
            .before_acquire(move |_, about| {
                let good = !looked_at.is(about.age);
                Box::pin(async move { Ok(good) })
            })
            .after_connect(move |raw, _| Box::pin(refuse_unfit(raw, Arc::clone(&admitted), Arc::clone(&seen))));
        let connections = Box::pin(pool.connect_with(how(&options.url, options)?))
            .await
            .map_err(|e| errors::sql("connecting to Postgres", &e))?;
        Ok(Self { connections, stale, patience: options.connect_timeout, history })
    }

    /// How often the server was found on another history of writes than before: then nothing holds that was kept.
    pub(crate) fn histories(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.history.others)
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
        let started = Instant::now();
        loop {
            let mut raw = self.connections.acquire().await.map_err(|e| errors::sql("connecting to Postgres", &e))?;
            match raw.ping().await {
                Ok(()) => return Ok(raw),
                Err(error) if started.elapsed() >= self.patience => {
                    return Err(errors::sql("connecting to Postgres", &error));
                }
                // It goes when it is dropped.
                Err(_) => tokio::time::sleep(BETWEEN).await,
            }
        }
    }

    /// Begins, over another connection if one turns out to be broken: nothing was done over it.
    async fn begin(&self, begin: &str, user: Option<&UserId>) -> Result<Transaction<'static, Postgres>> {
        // One round trip. The setting, which row-level security asks for, ends with the transaction.
        let sql = match user {
            Some(user) => format!("{begin}; SET LOCAL kimberly.user_id = {}", quoted(user.as_str())),
            None => begin.to_owned(),
        };
        let started = Instant::now();
        loop {
            let error = match self.begun(sql.clone()).await? {
                Ok(transaction) => return Ok(transaction),
                Err(error) => error,
            };
            if is_standby(&error) {
                self.stale.all();
            } else if !errors::lost_the_way(&error) {
                return Err(errors::sql("beginning a transaction", &error));
            }
            if started.elapsed() >= self.patience {
                return Err(Error::storage(StorageFailure::Unavailable, "no Postgres that can write is reached"));
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    /// Begins, whoever still waits for it. A BEGIN that was given up between question and answer would leave a connection in a
    /// transaction that nobody knows of, and whoever is given it next would read what was there then.
    async fn begun(&self, sql: String) -> Result<Result<Transaction<'static, Postgres>, sqlx::Error>> {
        let pool = self.connections.clone();
        let beginning = tokio::spawn(async move { pool.begin_with(AssertSqlSafe(sql)).await });
        beginning
            .await
            .map_err(|_| Error::storage(StorageFailure::Unavailable, "a transaction was not begun: shutting down"))
    }

    /// Closes every connection.
    pub(crate) async fn close(&self) {
        self.connections.close().await;
    }
}

/// Whether a server refused to begin as it only follows another one: the other one took its place.
fn is_standby(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == "0A000" || code == "25006")
}

/// Whether a connection may be worked over: says on it that somebody does, and that nothing was moved away or is half here.
fn admitted(options: &PgOptions) -> String {
    if options.moving {
        return "SELECT true".to_owned();
    }
    format!(
        "SELECT pg_try_advisory_lock_shared({IN_USE}, hashtext({})) \
         AND NOT EXISTS (SELECT 1 FROM {}.moves WHERE state <> 'arrived')",
        quoted(&options.schema),
        name(&options.schema)
    )
}

/// A server that follows another one does not show what was just written.
async fn refuse_unfit(
    raw: &mut sqlx::postgres::PgConnection,
    admitted: Arc<str>,
    history: Arc<History>,
) -> Result<(), sqlx::Error> {
    let timeline: Option<String> = sqlx::query_scalar(TIMELINE).fetch_one(&mut *raw).await?;
    let follows = || sqlx::Error::Configuration("this Postgres follows another one".into());
    history.see(timeline.ok_or_else(follows)?);
    let is_admitted: bool = sqlx::query_scalar(AssertSqlSafe(admitted.to_string())).fetch_one(raw).await?;
    let moved = || sqlx::Error::Configuration("everything is being moved, or was".into());
    if is_admitted { Ok(()) } else { Err(moved()) }
}

/// How one connects to a database.
pub(crate) fn how(url: &str, options: &PgOptions) -> Result<PgConnectOptions> {
    // The message of the parser may hold the address, and with it a password.
    let bad = |_| {
        let detail = "the address of Postgres is not readable: it must look like postgres://role@host:port/database";
        Error::storage(StorageFailure::Defect, detail)
    };
    let millis = |time: Duration| format!("{}ms", time.as_millis());
    let how = PgConnectOptions::from_str(url).map_err(bad)?;
    Ok(how
        .application_name("kimberly")
        .options([
            ("search_path", name(&options.schema) + ",public"),
            ("statement_timeout", millis(options.statement_timeout)),
            ("lock_timeout", millis(options.lock_timeout)),
            ("idle_in_transaction_session_timeout", millis(options.statement_timeout)),
            ("standard_conforming_strings", "on".to_owned()),
            // A machine that vanished holds no locks for longer than this.
            ("tcp_keepalives_idle", "30s".to_owned()),
            ("tcp_keepalives_interval", "10s".to_owned()),
            ("tcp_keepalives_count", "3".to_owned()),
        ])
        .disable_statement_logging())
}

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
        assert_eq!(name("a\"b'c"), "\"a\"\"b'c\"");
    }

    #[test]
    fn an_address_that_is_none_is_refused_without_its_password() {
        let error = how("postgres://ada:secret@:bad:port", &PgOptions::new("x")).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn a_history_is_another_one_when_its_timeline_is() {
        let history = History::default();
        let others = |timeline: &str| {
            history.see(timeline.to_owned());
            history.others.load(Ordering::Acquire)
        };
        assert_eq!(["00000001", "00000001", "00000002", "00000002", "00000003"].map(others), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn connections_from_before_are_stale_and_those_from_after_are_not() {
        let stale = Stale::default();
        assert!(!stale.is(Duration::from_secs(9)));
        stale.all();
        assert!(stale.is(Duration::from_secs(9)));
        let then = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
        *stale.0.lock().unwrap() = Some(then);
        assert!(stale.is(Duration::from_secs(9)) && !stale.is(Duration::from_secs(1)));
    }
}
