//! Jobs by their kind, one file each.

mod attachments;
mod erase;
mod meditate;
mod purge;

use std::future::Future;
use std::sync::Arc;

use kimberly_core::error::Error;
use kimberly_core::ports::SystemAudit;
use kimberly_core::usecases::App;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::on_own_thread;

pub use attachments::Attachments;
pub use erase::Erase;
pub use meditate::Meditate;
pub use purge::Purge;

use crate::purge::Purger;

/// Hands each job to the handler of its kind.
pub struct Handlers {
    meditate: Meditate,
    attachments: Attachments,
    erase: Erase,
    purge: Purge,
}

impl Handlers {
    /// Handlers for the queue.
    pub fn new(app: &App, audit: Arc<dyn SystemAudit>, purger: Purger) -> Self {
        Self {
            meditate: Meditate::new(app.clone(), audit),
            attachments: Attachments::new(app.clone()),
            erase: Erase::new(app.clone()),
            purge: Purge::new(purger),
        }
    }

    /// A job of an unknown kind goes to meditations, which refuse it.
    fn of(&self, job: &JobEnvelope) -> &dyn JobHandler {
        match job {
            job if job.is_attachments() => &self.attachments,
            job if job.is_erase() => &self.erase,
            job if job.is_purge() => &self.purge,
            _ => &self.meditate,
        }
    }
}

impl JobHandler for Handlers {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        self.of(&job).handle(job, attempt)
    }

    fn give_up(&self, job: JobEnvelope, reason: &str) -> HandlerFuture {
        self.of(&job).give_up(job, reason)
    }
}

async fn carry_out(work: impl Future<Output = Result<(), Error>> + Send + 'static) -> Result<(), HandlerError> {
    match on_own_thread(work).await {
        // Of a user who is purged nothing is left to do.
        Some(Ok(()) | Err(Error::Purging)) => Ok(()),
        Some(Err(error)) => Err(judge(&error)),
        None => Err(HandlerError::retry("the worker is stopping")),
    }
}

/// Whether trying again may help. The message is shown to the run's user and stored with the job: no internals, those
/// go to the log.
fn judge(error: &Error) -> HandlerError {
    tracing::warn!(%error, "a job broke off");
    match error {
        Error::Storage { failure, .. } => HandlerError::of_storage(*failure),
        Error::Quarantined { .. } => HandlerError::permanent("the memory store of this user is damaged"),
        Error::NotFound { .. } => HandlerError::permanent("the run is not there any more"),
        _ => HandlerError::permanent("the run cannot be carried out"),
    }
}
