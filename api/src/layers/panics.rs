//! A net under panics: the call fails, the process and the connection go on. The panic hook has logged it by then.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;

/// The work panicked.
#[derive(Debug)]
pub(super) struct Panicked;

/// The outcome of `work`. What it shared with others was only shared through locks that heal and transactions that roll
/// back, so that nothing half-done is seen afterwards.
pub(super) async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| Panicked)
}
