//! One user's turn among all processes that write vectors: a lock of the database's that ends with the connection that holds
//! it, whatever becomes of its process. Whoever loses it so without noticing does no lasting harm: each write is whole, and
//! the next sync puts right what two have done to each other.

use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::{BoxFuture, VectorTurns};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use super::PgVectors;
use crate::postgres::conn::{self, Args};
use crate::postgres::errors;
use crate::postgres::options::PgOptions;
use crate::postgres::pool::{TURNS, how};
use crate::postgres::rows::Cells;

/// Two users may share a turn by chance, and then wait for each other once in a while.
const TRY: &str = "SELECT pg_try_advisory_lock($1, hashtext($2))";
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
    let connecting = Box::pin(PgConnection::connect_with(&how(&options.url, options)?)).await;
    let mut raw = connecting.map_err(|e| errors::sql("connecting to Postgres", &e))?;
    let mut between = SOON;
    while !try_lock(&mut raw, of.clone()).await? {
        tokio::time::sleep(between).await;
        between = (between * 2).min(SELDOM);
    }
    Ok(raw)
}

async fn try_lock(raw: &mut PgConnection, of: String) -> Result<bool> {
    let mut locked = false;
    let take = |row: &_| {
        locked = Cells::new(row).flag()?;
        Ok(true)
    };
    let args = Args::none().with(TURNS).with(of);
    conn::for_each(raw, TRY.into(), args, take).await.map_err(|failure| failure.into_error("taking a user's turn"))?;
    Ok(locked)
}
