//! The right to work on purges: a lock of the database's that ends with the connection that holds it, whatever becomes of
//! its process. Whoever loses it so without noticing does no harm: every step looks whether it is still to be done.

use std::time::{Duration, Instant};

use kimberly_core::error::{Error, Result, StorageFailure};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use crate::postgres::conn::{self, Args};
use crate::postgres::errors;
use crate::postgres::options::PgOptions;
use crate::postgres::pool::{PURGES, how};
use crate::postgres::rows::Cells;

const TRY: &str = "SELECT pg_try_advisory_lock($1, hashtext($2))";
/// How long the right to work on purges is waited for, and how often it is tried.
const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN: Duration = Duration::from_millis(20);

/// Waits for the right; it ends when what is returned is dropped.
pub(super) async fn hold(options: &PgOptions) -> Result<PgConnection> {
    let connecting = Box::pin(PgConnection::connect_with(&how(&options.url, options)?)).await;
    let mut raw = connecting.map_err(|e| errors::sql("connecting to Postgres", &e))?;
    let started = Instant::now();
    while !try_lock(&mut raw, options).await? {
        if started.elapsed() > PATIENCE {
            return Err(Error::storage(StorageFailure::Unavailable, "another process works on purges for long"));
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Ok(raw)
}

async fn try_lock(raw: &mut PgConnection, options: &PgOptions) -> Result<bool> {
    let mut locked = false;
    let args = Args::none().with(PURGES).with(options.schema.clone());
    let take = |row: &_| {
        locked = Cells::new(row).flag()?;
        Ok(true)
    };
    conn::for_each(raw, TRY.into(), args, take).await.map_err(|failure| failure.into_error("locking purges"))?;
    Ok(locked)
}
