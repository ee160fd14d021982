//! The job `meditate`: executes one scheduled run.

use std::sync::Arc;

use futures::FutureExt as _;
use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::ports::SystemAudit;
use kimberly_core::usecases::App;
use kimberly_core::{MeditationId, UserId};
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, info_span};

use super::carry_out::carry_out;

/// Executes meditations. A run may be interrupted anywhere and resumed; `core` fences it.
pub(super) struct Meditate {
    app: App,
    audit: Arc<dyn SystemAudit>,
}

impl Meditate {
    /// Creates the handler, which also anchors vaults' audits in the system's audit.
    pub(super) const fn new(app: App, audit: Arc<dyn SystemAudit>) -> Self {
        Self { app, audit }
    }
}

impl JobHandler for Meditate {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let (app, audit) = (self.app.clone(), Arc::clone(&self.audit));
        async move {
            let (user, id) = address(&job)?;
            let span = info_span!("job.meditate", meditation = %id, job = job.job_id, attempt = attempt.number);
            follow(&span, job.traceparent.as_deref());
            let work = async move {
                if !waits(&app, &user, id).await? {
                    return Ok(());
                }
                tracing::info!("meditation starts");
                app.run_meditation(&user, id).await?;
                if waits(&app, &user, id).await? {
                    return Err(overtaken());
                }
                // If this fails, the next run anchors the audit.
                if let Err(error) = app.anchor_audit(&user, &*audit).await {
                    tracing::warn!(%error, "the head of the vault's audit was not written to the system's audit");
                }
                tracing::info!("meditation ends");
                tidy_attachments(&app, &user).await;
                Ok(())
            };
            carry_out(work.instrument(span)).await
        }
        .boxed()
    }

    /// Marks the run failed, so that it does not wait forever.
    fn give_up(&self, job: JobEnvelope, reason: &str) -> HandlerFuture {
        let app = self.app.clone();
        let why = format!("given up: {reason}; completed changes stay, and a new run does the rest");
        async move {
            // A job that names no run has no run to mark.
            let Ok((user, id)) = address(&job) else { return Ok(()) };
            let work = async move {
                if waits(&app, &user, id).await? { app.fail_meditation(&user, id, &why).await } else { Ok(()) }
            };
            carry_out(work).await
        }
        .boxed()
    }
}

/// Compares the stored attachments with the vault's records. Logs failures; the next run repeats the comparison.
async fn tidy_attachments(app: &App, user: &UserId) {
    match app.tidy_attachments(user, true).await {
        Ok(tidied) if tidied.missing > 0 => {
            tracing::error!(missing = tidied.missing, "attachments of a user are missing; restore them from a backup");
        }
        Ok(tidied) => tracing::debug!(removed = tidied.removed, strays = tidied.strays, "attachments were cleaned up"),
        Err(error) => tracing::warn!(%error, "attachments could not be cleaned up"),
    }
}

/// Another attempt took over the run. That attempt may have lost its own lease and never finish, so this job stays
/// queued until the run is over.
fn overtaken() -> Error {
    Error::storage(StorageFailure::Unavailable, "another attempt took over the run, which has not ended")
}

/// Reports whether the run exists and is unfinished. A read, since a write would create a vault for a user without one.
async fn waits(app: &App, user: &UserId, id: MeditationId) -> Result<bool, Error> {
    let run = app.vaults.read(user, move |reader| Box::pin(reader.meditation(id))).await?;
    Ok(run.is_some_and(|run| !run.is_over()))
}

/// Parses the user and the run that the job names.
fn address(job: &JobEnvelope) -> Result<(UserId, MeditationId), HandlerError> {
    let nonsense = |_| HandlerError::permanent("the job has an invalid id");
    let user = UserId::parse(&job.user_id).map_err(nonsense)?;
    let id = MeditationId::parse("subject_id", &job.subject_id).map_err(nonsense)?;
    Ok((user, id))
}
