//! Job handlers, one file per kind.

mod attachments;
mod compact;
mod erase;
mod extract;
mod meditate;
mod of_user;
mod purge;
mod summarize;

use std::future::Future;
use std::sync::Arc;

use kimberly_core::error::Error;
use kimberly_core::ports::SystemAudit;
use kimberly_core::usecases::App;
use kimberly_queue::{ATTACHMENTS, COMPACT, ERASE, EXTRACT, HandlerError, Handlers, MEDITATE, PURGE, SUMMARIZE};
use kimberly_runtime::on_own_thread;

use meditate::Meditate;
use purge::Purge;

use crate::purge::Purger;

/// Returns the handlers of the worker's jobs.
pub fn handlers(app: &App, audit: Arc<dyn SystemAudit>, purger: Purger) -> Handlers {
    Handlers::default()
        .on(&MEDITATE, Meditate::new(app.clone(), audit))
        .on(&ATTACHMENTS, attachments::handler(app.clone()))
        .on(&ERASE, erase::handler(app.clone()))
        .on(&EXTRACT, extract::handler(app.clone()))
        .on(&COMPACT, compact::handler(app.clone()))
        .on(&SUMMARIZE, summarize::handler(app.clone()))
        .on(&PURGE, Purge::new(purger))
}

async fn carry_out(work: impl Future<Output = Result<(), Error>> + Send + 'static) -> Result<(), HandlerError> {
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
