//! A bound on the calls that are served at once over all connections. A call that finds no place is refused at once:
//! waiting would only move the queue to where nobody sees it.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};

/// Health and reflection are always answered, so that a saturated server is not taken for a dead one.
const ALWAYS_SERVED: &str = "/grpc.";

/// A place, held until dropped; `None` for calls that need none.
pub(super) fn place(places: &Arc<Semaphore>, path: &str) -> Result<Option<OwnedSemaphorePermit>, TryAcquireError> {
    if path.starts_with(ALWAYS_SERVED) {
        return Ok(None);
    }
    Arc::clone(places).try_acquire_owned().map(Some)
}
