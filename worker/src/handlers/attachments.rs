//! The job `attachments`: removes the bytes of attachments that are no more, and attachments that hang on no memory, and
//! seals those that came to hang on sensitive ones.

use futures::FutureExt as _;
use kimberly_core::UserId;
use kimberly_core::usecases::App;
use kimberly_core::usecases::attachments::Tidied;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, info_span};

use super::carry_out;

/// Removes what its time has come for; cut anywhere, the next run does the rest. Should all runs fail, the next meditation
/// does it.
pub(super) struct Attachments {
    app: App,
}

impl Attachments {
    /// A handler for the queue.
    pub(super) const fn new(app: App) -> Self {
        Self { app }
    }
}

impl JobHandler for Attachments {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let app = self.app.clone();
        async move {
            let nonsense = |_| HandlerError::permanent("an id in the job is not one");
            let user = UserId::parse(&job.user_id).map_err(nonsense)?;
            let span = info_span!("job.attachments", job = job.job_id, attempt = attempt.number);
            follow(&span, job.traceparent.as_deref());
            let work = async move {
                let tidied = app.tidy_attachments(&user, false).await?;
                let Tidied { sealed, expired, removed, .. } = tidied;
                tracing::info!(sealed, expired, removed, "attachments are tidied up");
                if tidied.unsealed > 0 {
                    tracing::warn!(
                        unsealed = tidied.unsealed,
                        "attachments of sensitive memories could not be sealed yet"
                    );
                }
                Ok(())
            };
            carry_out(work.instrument(span)).await
        }
        .boxed()
    }
}
