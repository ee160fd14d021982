//! The job `extract`: reads turns that were observed.

use futures::FutureExt as _;
use kimberly_core::UserId;
use kimberly_core::usecases::App;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, info_span};

use super::carry_out;

/// Reads in steps of one transaction each; cut anywhere, the next run does the rest. Should all runs fail, the job of the next
/// observation does it.
pub(super) struct Extract {
    app: App,
}

impl Extract {
    /// A handler for the queue.
    pub(super) const fn new(app: App) -> Self {
        Self { app }
    }
}

impl JobHandler for Extract {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let app = self.app.clone();
        async move {
            let nonsense = |_| HandlerError::permanent("an id in the job is not one");
            let user = UserId::parse(&job.user_id).map_err(nonsense)?;
            let span = info_span!("job.extract", job = job.job_id, attempt = attempt.number);
            follow(&span, job.traceparent.as_deref());
            let work = async move {
                let read = app.extract_turns(&user, &[]).await?;
                let made: usize = read.iter().map(|turn| turn.made.len()).sum();
                tracing::info!(turns = read.len(), made, "turns are read");
                Ok(())
            };
            carry_out(work.instrument(span)).await
        }
        .boxed()
    }
}
