//! The job `purge`: executes a purge.

use futures::FutureExt as _;
use kimberly_core::PurgeId;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, info_span};

use super::carry_out::carry_out;
use crate::purge::Purger;

/// Executes purges, resuming interrupted ones. If all attempts fail, the worker's sweep continues them.
pub(super) struct Purge {
    purger: Purger,
}

impl Purge {
    /// Creates the handler.
    pub(super) const fn new(purger: Purger) -> Self {
        Self { purger }
    }
}

impl JobHandler for Purge {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let purger = self.purger.clone();
        async move {
            let nonsense = |_| HandlerError::permanent("the job has an invalid id");
            let id = PurgeId::parse("subject_id", &job.subject_id).map_err(nonsense)?;
            let span = info_span!("job.purge", purge = %id, job = job.job_id, attempt = attempt.number);
            follow(&span, job.traceparent.as_deref());
            carry_out(async move { purger.run(id).await }.instrument(span)).await
        }
        .boxed()
    }
}
