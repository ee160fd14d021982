//! The job `erase`: erases what a retracted consent left to be erased.

use futures::FutureExt as _;
use kimberly_core::UserId;
use kimberly_core::usecases::App;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, info_span};

use super::carry_out;

/// Erases in steps of one transaction each; cut anywhere, the next run does the rest. Should all runs fail, the next
/// meditation does it.
pub(super) struct Erase {
    app: App,
}

impl Erase {
    /// A handler for the queue.
    pub(super) const fn new(app: App) -> Self {
        Self { app }
    }
}

impl JobHandler for Erase {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let app = self.app.clone();
        async move {
            let nonsense = |_| HandlerError::permanent("an id in the job is not one");
            let user = UserId::parse(&job.user_id).map_err(nonsense)?;
            let span = info_span!("job.erase", job = job.job_id, attempt = attempt.number);
            follow(&span, job.traceparent.as_deref());
            let work = async move {
                let erased = app.erase_withheld(&user).await?;
                tracing::info!(erased, "memories whose consent was retracted are erased");
                Ok(())
            };
            carry_out(work.instrument(span)).await
        }
        .boxed()
    }
}
