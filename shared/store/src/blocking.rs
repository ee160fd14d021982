//! Runs blocking work.

use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs blocking work outside the async threads.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Error::storage(StorageFailure::Unavailable, "file work was aborted: shutting down"))
}

/// Runs blocking work on this thread. On a thread that serves other tasks, tokio moves these to another thread meanwhile.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        _ => work(),
    }
}
