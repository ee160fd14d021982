//! Connection pools.

use std::sync::{Arc, Weak};
use std::time::Duration;

use kimberly_core::database::PostgresUrl;
use kimberly_postgres::{Bounds, DatabaseAddress, Servers, Way, name, standby};
use sqlx::postgres::{PgConnection, PgPoolOptions};
use sqlx::{Connection as _, PgPool};

use super::options::PgQueueOptions;
use crate::error::QueueError;

/// A connection idle for longer is pinged before use; shorter, so that polling is not slowed down.
const TRUSTED_FOR: Duration = Duration::from_millis(500);

/// Connections of apalis's worker, which makes one call at a time.
const FETCHING: u32 = 1;

/// Opens two pools, one of them for apalis's worker only. Their connections have the extension in the search path and
/// are closed once stale or broken.
///
/// A worker that ends drops its pending calls. If that is a BEGIN, sqlx returns the connection to the pool as if it
/// had no open transaction: a later statement on it would report success and never be committed. apalis wraps all its
/// calls in transactions, so it can use such a connection; other code cannot.
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
    // `Way` refers to the pool; weak references here avoid a cycle.
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

/// Refuses a standby, which accepts no jobs.
async fn refuse_standby(conn: &mut PgConnection, way: Weak<Way>) -> Result<(), sqlx::Error> {
    let follows: bool = sqlx::query_scalar("SELECT pg_is_in_recovery()").fetch_one(conn).await?;
    if follows {
        look(way.upgrade());
        return Err(standby());
    }
    Ok(())
}

/// Starts the search for another server.
fn look(way: Option<Arc<Way>>) {
    if let Some(way) = way {
        way.look();
    }
}

/// Connection parameters for the database.
pub(super) fn how(url: &str, options: &PgQueueOptions) -> Result<Servers, QueueError> {
    let bounds = Bounds {
        connect_timeout: options.connect_timeout,
        statement_timeout: options.statement_timeout,
        lock_timeout: options.lock_timeout,
    };
    let wrong = |problem| QueueError::Refused(format!("the address of Postgres {problem}"));
    let address = PostgresUrl::new(url).address().map_err(wrong)?;
    let target = DatabaseAddress { servers: &address.each(), read_write: address.read_write };
    Ok(kimberly_postgres::how(target, "kimberly-queue", bounds)?)
}
