//! Connections.

use std::sync::Arc;
use std::time::Duration;

use kimberly_postgres::{Bounds, Stale, name, standby};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{Connection as _, PgPool, Postgres, Transaction};

use super::options::PgQueueOptions;
use crate::error::QueueError;

/// A connection that lay idle for longer is asked whether it is still there: a consumer that looks for jobs is not held up.
const TRUSTED_FOR: Duration = Duration::from_millis(500);

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

/// Begins a transaction.
pub(super) async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    kimberly_postgres::begin(pool, "BEGIN".to_owned()).await
}

/// A server that follows another one takes no jobs.
async fn refuse_standby(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    let follows: bool = sqlx::query_scalar("SELECT pg_is_in_recovery()").fetch_one(conn).await?;
    if follows { Err(standby()) } else { Ok(()) }
}

/// How one connects to the database.
pub(super) fn how(url: &str, options: &PgQueueOptions) -> Result<PgConnectOptions, QueueError> {
    let bounds = Bounds { statement_timeout: options.statement_timeout, lock_timeout: options.lock_timeout };
    Ok(kimberly_postgres::how(url, "kimberly-queue", bounds)?)
}
