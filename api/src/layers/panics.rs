//! Catches panics: the call fails, while the process and the connection continue. The panic hook has already logged the
//! panic.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;

/// Reports that the work panicked.
#[derive(Debug)]
pub(super) struct Panicked;

/// Returns the result of `work`. It shares state only through locks that recover and transactions that roll back, so
/// nothing half-done is visible after a panic.
pub(super) async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| Panicked)
}
