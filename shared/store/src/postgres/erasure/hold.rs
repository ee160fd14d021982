//! The lock of the process that works on purges: an advisory lock of the database, released when its connection ends,
//! whatever happens to the process. Losing it unnoticed does no harm, because every step checks whether it still has to
//! be done.

use std::time::{Duration, Instant};

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_postgres::Lock;
use kimberly_postgres::classes::PURGES;
use sqlx::postgres::PgConnection;

use crate::postgres::errors;
use crate::postgres::options::PgOptions;
use crate::postgres::schema::connect;

/// How long to wait for the lock, and the interval between attempts.
const PATIENCE: Duration = Duration::from_secs(30);
const BETWEEN: Duration = Duration::from_millis(20);

/// Waits for the lock, which is released when the returned connection is dropped.
pub(super) async fn hold(options: &PgOptions) -> Result<PgConnection> {
    let mut raw = connect(&options.url, options).await?;
    let started = Instant::now();
    let right = Lock { class: PURGES, of: &options.schema, doing: "locking purges" };
    while !right.try_take(&mut raw).await.map_err(errors::of)? {
        if started.elapsed() > PATIENCE {
            return Err(Error::storage(StorageFailure::Unavailable, "another process holds the lock of purges"));
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Ok(raw)
}
