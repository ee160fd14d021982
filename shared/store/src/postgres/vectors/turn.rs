//! One user's turn among all processes that write vectors: a lock of the database's that ends with the connection that holds
//! it, whatever becomes of its process. A process that loses it without noticing does no lasting harm: each write is whole, and
//! the next sync puts right what two have done to each other.

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

/// How often it is tried: soon at first, then more and more seldom. Nobody waits for it within Postgres: that would be in
/// the way of a graph that is made beside writers.
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
    // Two users may share a turn by chance, and then wait for each other once in a while.
    let turn = Lock { class: TURNS, of: &of, doing: "taking a user's turn" };
    while !turn.try_take(&mut raw).await.map_err(errors::of)? {
        tokio::time::sleep(between).await;
        between = (between * 2).min(SELDOM);
    }
    Ok(raw)
}
