//! Runs blocking work.

use kimberly_core::error::{Error, Result, StorageFailure};

/// Runs blocking work outside the async threads.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Error::storage(StorageFailure::Unavailable, "file work was aborted: shutting down"))
}
