//! Runs the work of a job, and classifies its errors.

use std::future::Future;

use kimberly_core::error::Error;
use kimberly_queue::HandlerError;
use kimberly_runtime::on_own_thread;

/// Runs work on its own thread.
pub(super) async fn carry_out(
    work: impl Future<Output = Result<(), Error>> + Send + 'static,
) -> Result<(), HandlerError> {
    match on_own_thread(work).await {
        // The job of a purged user has nothing left to do.
        Some(Ok(()) | Err(Error::Purging)) => Ok(()),
        Some(Err(error)) => Err(judge(&error)),
        None => Err(HandlerError::retry("the worker is stopping")),
    }
}

/// Classifies an error as worth a retry or as permanent. The message is shown to the run's user and stored with the
/// job; internal details go to the log only.
fn judge(error: &Error) -> HandlerError {
    tracing::warn!(%error, "a job failed");
    match error {
        Error::Storage { failure, .. } => HandlerError::of_storage(*failure),
        Error::Quarantined { .. } => HandlerError::permanent("the memory store of this user is damaged"),
        Error::NotFound { .. } => HandlerError::permanent("the run no longer exists"),
        _ => HandlerError::permanent("the run cannot be carried out"),
    }
}
