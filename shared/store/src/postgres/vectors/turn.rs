//! A user's turn to write vectors, across all processes: an advisory lock of the database, released when its connection
//! ends, whatever happens to the process. Losing it unnoticed does no lasting harm: each write is atomic, and the next
//! sync repairs conflicting writes.

use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::{BoxFuture, VectorTurns};
use kimberly_postgres::Lock;
use kimberly_postgres::classes::TURNS;
use sqlx::postgres::PgConnection;

use super::PgVectors;
use crate::postgres::errors;
use crate::postgres::options::PgOptions;
use crate::postgres::schema::connect;

/// Interval between attempts, which doubles from the first value to the second. Polls instead of waiting inside
/// Postgres, because a waiting transaction would block the concurrent creation of a graph.
const SOON: Duration = Duration::from_millis(20);
const SELDOM: Duration = Duration::from_secs(1);

impl VectorTurns for PgVectors {
    fn take<'a>(&'a self, user: &'a UserId) -> BoxFuture<'a, Result<Box<dyn Send>>> {
        Box::pin(async move {
            let (options, of) = (self.inner.pg.clone(), format!("{} {}", self.inner.pg.schema, user.as_str()));
            let raw = self.inner.waiting.spawn(async move { take(&options, of).await }).await?;
            Ok(Box::new(raw) as Box<dyn Send>)
        })
    }
}

async fn take(options: &PgOptions, of: String) -> Result<PgConnection> {
    let mut raw = connect(&options.url, options).await?;
    let mut between = SOON;
    // Two users may share a lock by hash collision, and then sometimes wait for each other.
    let turn = Lock { class: TURNS, of: &of, doing: "locking a user's vectors" };
    while !turn.try_take(&mut raw).await.map_err(errors::of)? {
        tokio::time::sleep(between).await;
        between = (between * 2).min(SELDOM);
    }
    Ok(raw)
}
