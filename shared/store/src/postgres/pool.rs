//! Connections to Postgres, and transactions on them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use kimberly_core::UserId;
use kimberly_core::database::PostgresUrl;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_postgres::classes::IN_USE;
use kimberly_postgres::{Bounds, DatabaseAddress, Lock, Servers, Way, code, name, standby};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgPool, PgPoolOptions, Postgres};
use sqlx::{AssertSqlSafe, Connection as _, Transaction};

use super::errors;
use super::options::PgOptions;

/// One read-only snapshot for all statements.
const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Writers of one vault wait for each other at its row, and see what the previous one wrote.
const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
/// The current timeline, which is the prefix of WAL file names; NULL on a standby.
const TIMELINE: &str =
    "SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END";
/// Pause before a broken connection is replaced.
const BETWEEN: Duration = Duration::from_millis(20);

/// The connections of this process.
#[derive(Clone)]
pub(crate) struct Pool {
    connections: PgPool,
    way: Arc<Way>,
    patience: Duration,
    history: Arc<History>,
}

/// Tracks the server's timeline. A standby that is promoted, or a backup recovered to a point in time, begins another
/// timeline, on which commits seen before may be missing.
#[derive(Default)]
struct History {
    /// The timeline, as Postgres numbers it.
    timeline: Mutex<Option<String>>,
    /// Number of timelines seen after the first.
    others: Arc<AtomicU64>,
}

impl History {
    /// Records the timeline of a new connection before its first use.
    fn see(&self, timeline: String) {
        let mut seen = self.timeline.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.as_ref().is_some_and(|seen| *seen != timeline) {
            self.others.fetch_add(1, Ordering::Release);
        }
        *seen = Some(timeline);
    }
}

impl Pool {
    /// Connects. Each connection uses the schema, has timeouts, and logs no statement.
    pub(crate) async fn connect(options: &PgOptions) -> Result<Self> {
        let found = Box::pin(Way::find(how(&options.url, options)?)).await;
        let (way, how) = found.map_err(|e| errors::sql("connecting to Postgres", &e))?;
        // The way refers to the pool; the pool refers back only weakly.
        let (looked_at, led) = (Arc::downgrade(&way), Arc::downgrade(&way));
        let history = Arc::new(History::default());
        let seen = Arc::clone(&history);
        let admitted: Arc<str> = admitted(options).into();
        let pool = PgPoolOptions::new()
            .max_connections(options.max_connections.max(2))
            .acquire_timeout(options.connect_timeout)
            // Every transaction begins with a round trip anyway, where a connection that broke while idle fails.
            .test_before_acquire(false)
            .before_acquire(move |_, about| {
                let good = !looked_at.upgrade().is_some_and(|way| way.is_stale(about.age));
                Box::pin(async move { Ok(good) })
            })
            .after_connect(move |raw, _| {
                Box::pin(refuse_unfit(raw, Arc::clone(&admitted), Arc::clone(&seen), Weak::clone(&led)))
            });
        let connections =
            Box::pin(pool.connect_with(how)).await.map_err(|e| errors::sql("connecting to Postgres", &e))?;
        way.lead(&connections);
        Ok(Self { connections, way, patience: options.connect_timeout, history })
    }

    /// Returns the number of times that the server was found on another timeline; caches are invalid then.
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

    /// Begins a transaction on data shared by all users.
    pub(crate) async fn registry(&self) -> Result<Transaction<'static, Postgres>> {
        self.begin(WRITE, None).await
    }

    /// Begins to read data shared by all users.
    pub(crate) async fn snapshot(&self) -> Result<Transaction<'static, Postgres>> {
        self.begin(READ, None).await
    }

    /// Returns a connection for statements that are each their own transaction.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Postgres>> {
        let started = Instant::now();
        loop {
            let acquired = self.connections.acquire().await;
            let mut raw = acquired.map_err(|e| {
                self.way.look();
                errors::sql("connecting to Postgres", &e)
            })?;
            match raw.ping().await {
                Ok(()) => return Ok(raw),
                Err(error) if started.elapsed() >= self.patience => {
                    return Err(errors::sql("connecting to Postgres", &error));
                }
                // Dropping the connection closes it.
                Err(_) => {
                    self.way.look();
                    tokio::time::sleep(BETWEEN).await;
                }
            }
        }
    }

    /// Begins a transaction, on another connection if one is broken: nothing was done on it yet.
    async fn begin(&self, begin: &str, user: Option<&UserId>) -> Result<Transaction<'static, Postgres>> {
        // One round trip. Row-level security reads the setting, which ends with the transaction.
        let sql = match user {
            Some(user) => format!("{begin}; SET LOCAL kimberly.user_id = {}", kimberly_postgres::quoted(user.as_str())),
            None => begin.to_owned(),
        };
        let started = Instant::now();
        loop {
            let error = match self.way.begin(&self.connections, sql.clone()).await {
                Ok(transaction) => return Ok(transaction),
                Err(error) => error,
            };
            if matches!(error, sqlx::Error::WorkerCrashed) {
                return Err(Error::storage(StorageFailure::Unavailable, "a transaction was not begun: shutting down"));
            }
            if is_standby(&error) {
                self.way.lost();
            } else {
                self.way.look();
            }
            if !is_standby(&error) && !errors::lost_the_way(&error) {
                return Err(errors::sql("beginning a transaction", &error));
            }
            if started.elapsed() >= self.patience {
                return Err(Error::storage(StorageFailure::Unavailable, "no writable Postgres can be reached"));
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    /// Closes every connection.
    pub(crate) async fn close(&self) {
        self.connections.close().await;
    }
}

/// Reports whether a server refused to begin because it is a standby: another server was promoted.
fn is_standby(error: &sqlx::Error) -> bool {
    ["0A000", "25006"].contains(&code(error).as_ref())
}

/// The lock that every working connection holds in shared mode, and a move exclusively.
pub(crate) fn in_use(schema: &str) -> Lock<'_> {
    Lock { class: IN_USE, of: schema, doing: "checking which processes use the database" }
}

/// Returns SQL that takes the shared lock on the database, and reports whether nothing was moved away and the database
/// is complete.
fn admitted(options: &PgOptions) -> String {
    if options.moving {
        return "SELECT true".to_owned();
    }
    format!(
        "SELECT {} AND NOT EXISTS (SELECT 1 FROM {}.moves WHERE state <> 'arrived')",
        in_use(&options.schema).shared(),
        name(&options.schema)
    )
}

/// Refuses a new connection to a standby, or to a database that must not be used.
async fn refuse_unfit(
    raw: &mut sqlx::postgres::PgConnection,
    admitted: Arc<str>,
    history: Arc<History>,
    way: Weak<Way>,
) -> Result<(), sqlx::Error> {
    let timeline: Option<String> = sqlx::query_scalar(TIMELINE).fetch_one(&mut *raw).await?;
    let Some(timeline) = timeline else {
        if let Some(way) = way.upgrade() {
            way.look();
        }
        return Err(standby());
    };
    history.see(timeline);
    let is_admitted: bool = sqlx::query_scalar(AssertSqlSafe(admitted.to_string())).fetch_one(raw).await?;
    let moved = || sqlx::Error::Configuration("everything is being moved, or was".into());
    if is_admitted { Ok(()) } else { Err(moved()) }
}

/// Connection options for the database and its schema.
pub(crate) fn how(url: &str, options: &PgOptions) -> Result<Servers> {
    let bounds = Bounds {
        connect_timeout: options.connect_timeout,
        statement_timeout: options.statement_timeout,
        lock_timeout: options.lock_timeout,
    };
    let wrong = |problem| Error::storage(StorageFailure::Defect, format!("the address of Postgres {problem}"));
    let address = PostgresUrl::new(url).address().map_err(wrong)?;
    let target = DatabaseAddress { servers: &address.each(), read_write: address.read_write };
    let how = kimberly_postgres::how(target, "kimberly", bounds).map_err(errors::of)?;
    Ok(how.options(&[("search_path", name(&options.schema) + ",public")]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_another_one_when_its_timeline_is() {
        let history = History::default();
        let others = |timeline: &str| {
            history.see(timeline.to_owned());
            history.others.load(Ordering::Acquire)
        };
        assert_eq!(["00000001", "00000001", "00000002", "00000002", "00000003"].map(others), [0, 0, 1, 1, 2]);
    }
}
