//! Runs blocking work.

use std::cell::Cell;

use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::runtime::{Handle, RuntimeFlavor};

thread_local! {
    /// Whether this thread is there for blocking work.
    static MAY_BLOCK: Cell<bool> = const { Cell::new(false) };
}

/// Runs work on a thread that is there for blocking work. Blocking work within it stays on the thread: its own pool could
/// be exhausted by threads that wait for it, and threads that it starts would inherit its priority.
pub(crate) fn on_blocking_thread<T>(work: impl FnOnce() -> T) -> T {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            MAY_BLOCK.set(false);
        }
    }
    MAY_BLOCK.set(true);
    let _reset = Reset;
    work()
}

/// Runs blocking work outside the async threads.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    if MAY_BLOCK.get() {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| Error::storage(StorageFailure::Unavailable, "file work was cut off: shutting down"))
}

/// Runs blocking work on this thread. On a thread that serves other tasks, tokio moves these to another thread meanwhile.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(runtime) if !MAY_BLOCK.get() && runtime.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(work)
        }
        _ => work(),
    }
}
