//! The right to work on purges: a lock of the database's that ends with the connection that holds it, whatever becomes of
//! its process. A process that loses it without noticing does no harm: every step looks whether it is still to be done.

use std::time::{Duration, Instant};

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_postgres::Lock;
use kimberly_postgres::classes::PURGES;
use sqlx::postgres::PgConnection;

use crate::postgres::errors;
use crate::postgres::options::PgOptions;
use crate::postgres::schema::connect;

/// How long the right to work on purges is waited for, and how often it is tried.
const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN: Duration = Duration::from_millis(20);

/// Waits for the right; it ends when what is returned is dropped.
pub(super) async fn hold(options: &PgOptions) -> Result<PgConnection> {
    let mut raw = connect(&options.url, options).await?;
    let started = Instant::now();
    let right = Lock { class: PURGES, of: &options.schema, doing: "locking purges" };
    while !right.try_take(&mut raw).await.map_err(errors::of)? {
        if started.elapsed() > PATIENCE {
            return Err(Error::storage(StorageFailure::Unavailable, "another process works on purges for long"));
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Ok(raw)
}
