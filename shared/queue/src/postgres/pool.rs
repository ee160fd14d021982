//! Connections.

use std::sync::{Arc, Weak};
use std::time::Duration;

use kimberly_core::place::PostgresUrl;
use kimberly_postgres::{Bounds, Place, Servers, Way, name, standby};
use sqlx::postgres::{PgConnection, PgPoolOptions};
use sqlx::{Connection as _, PgPool};

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
) -> Result<(PgPool, PgPool, Arc<Way>), QueueError> {
    let servers = how(&options.url, options)?.options(&[("search_path", name(extension))]);
    let (way, how) = Box::pin(Way::find(servers)).await?;
    let all_but_fetching = options.max_connections.saturating_sub(FETCHING).max(2);
    let others = Box::pin(pool(options, all_but_fetching, &way).connect_with(how.clone())).await?;
    let fetching = pool(options, FETCHING, &way).connect_lazy_with(how);
    way.lead(&others);
    way.lead(&fetching);
    Ok((others, fetching, way))
}

fn pool(options: &PgQueueOptions, connections: u32, way: &Arc<Way>) -> PgPoolOptions {
    // The way knows the pool, and not the other way round.
    let (way, led) = (Arc::downgrade(way), Arc::downgrade(way));
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(options.connect_timeout)
        .test_before_acquire(false)
        .before_acquire(move |conn, about| {
            let way = way.upgrade();
            let fresh = !way.as_ref().is_some_and(|way| way.is_stale(about.age));
            Box::pin(async move {
                let good = fresh && (about.idle_for < TRUSTED_FOR || conn.ping().await.is_ok());
                if fresh && !good {
                    look(way);
                }
                Ok(good)
            })
        })
        .after_connect(move |conn, _| Box::pin(refuse_standby(conn, Weak::clone(&led))))
}

/// A server that follows another one takes no jobs.
async fn refuse_standby(conn: &mut PgConnection, way: Weak<Way>) -> Result<(), sqlx::Error> {
    let follows: bool = sqlx::query_scalar("SELECT pg_is_in_recovery()").fetch_one(conn).await?;
    if follows {
        look(way.upgrade());
        return Err(standby());
    }
    Ok(())
}

/// Looks for another server.
fn look(way: Option<Arc<Way>>) {
    if let Some(way) = way {
        way.look();
    }
}

/// How one connects to the database.
pub(super) fn how(url: &str, options: &PgQueueOptions) -> Result<Servers, QueueError> {
    let bounds = Bounds {
        connect_timeout: options.connect_timeout,
        statement_timeout: options.statement_timeout,
        lock_timeout: options.lock_timeout,
    };
    let wrong = |problem| QueueError::Refused(format!("the address of Postgres {problem}"));
    let address = PostgresUrl::new(url).address().map_err(wrong)?;
    let place = Place { servers: &address.each(), read_write: address.read_write };
    Ok(kimberly_postgres::how(place, "kimberly-queue", bounds)?)
}
