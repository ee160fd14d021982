//! Connections.

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgPool, Postgres, Transaction};

use super::options::PgQueueOptions;
use crate::error::QueueError;

/// A connection that lay idle for longer is asked whether it is still there: a consumer that looks for jobs is not held up.
const TRUSTED_FOR: Duration = Duration::from_millis(500);

/// Since when no connection is good that was made before.
#[derive(Debug, Default)]
pub(super) struct Stale(Mutex<Option<Instant>>);

impl Stale {
    pub(super) fn all(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is(&self, age: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| age >= since.elapsed())
    }
}

/// The connections of apalis's worker, whose calls come one after the other.
const FETCHING: u32 = 1;

/// Two pools whose connections find the extension, and are let go of once they are stale or broken: the first for all but
/// apalis's worker, the other for that alone.
///
/// A worker that ends gives up whatever it waits for. If that is the answer to a BEGIN, sqlx takes its connection back as one
/// that is in no transaction, though it is in one, and what is written over it by a statement alone is told to be done and
/// never kept. apalis begins and commits whatever it does, by which such a connection is as good as any; nobody else may have it.
pub(super) async fn connect(
    options: &PgQueueOptions,
    extension: &str,
    stale: &Arc<Stale>,
) -> Result<(PgPool, PgPool), QueueError> {
    let how = how(&options.url, options)?.options([("search_path", name(extension))]);
    let all_but_fetching = options.max_connections.saturating_sub(FETCHING).max(2);
    let others = Box::pin(pool(options, all_but_fetching, stale).connect_with(how.clone())).await?;
    Ok((others, pool(options, FETCHING, stale).connect_lazy_with(how)))
}

fn pool(options: &PgQueueOptions, connections: u32, stale: &Arc<Stale>) -> PgPoolOptions {
    let stale = Arc::clone(stale);
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(options.connect_timeout)
        .test_before_acquire(false)
        .before_acquire(move |conn, about| {
            let fresh = !stale.is(about.age);
            Box::pin(async move { Ok(fresh && (about.idle_for < TRUSTED_FOR || conn.ping().await.is_ok())) })
        })
        .after_connect(|conn, _| Box::pin(refuse_standby(conn)))
}

/// Begins, whoever still waits for it. A BEGIN that was given up between question and answer would leave a connection in a
/// transaction that nobody knows of, and what others write over it would never be kept.
pub(super) async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let pool = pool.clone();
    let beginning = tokio::spawn(async move { pool.begin().await });
    beginning.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

/// A server that follows another one takes no jobs.
async fn refuse_standby(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    let follows: bool = sqlx::query_scalar("SELECT pg_is_in_recovery()").fetch_one(conn).await?;
    if follows { Err(sqlx::Error::Configuration("this Postgres follows another one".into())) } else { Ok(()) }
}

/// How one connects to a database.
pub(super) fn how(url: &str, options: &PgQueueOptions) -> Result<PgConnectOptions, QueueError> {
    // The message of the parser may hold the address, and with it a password.
    let bad = |_| {
        let problem = "the address of Postgres is not readable: it must look like postgres://role@host:port/database";
        QueueError::Refused(problem.to_owned())
    };
    let millis = |time: Duration| format!("{}ms", time.as_millis());
    Ok(PgConnectOptions::from_str(url)
        .map_err(bad)?
        .application_name("kimberly-queue")
        .options([
            ("statement_timeout", millis(options.statement_timeout)),
            ("lock_timeout", millis(options.lock_timeout)),
            ("idle_in_transaction_session_timeout", millis(options.statement_timeout)),
            // A machine that vanished holds no locks for longer than this.
            ("tcp_keepalives_idle", "30s".to_owned()),
            ("tcp_keepalives_interval", "10s".to_owned()),
            ("tcp_keepalives_count", "3".to_owned()),
        ])
        .disable_statement_logging())
}

/// A name in quotes.
pub(super) fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_is_refused_without_its_password() {
        let error = how("postgres://ada:secret@:bad:port", &PgQueueOptions::new("x")).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn connections_from_before_are_stale_and_those_from_after_are_not() {
        let stale = Stale::default();
        assert!(!stale.is(Duration::from_secs(9)));
        stale.all();
        assert!(stale.is(Duration::from_secs(9)));
    }
}
