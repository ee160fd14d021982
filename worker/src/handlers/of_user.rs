//! Jobs that name a user, and some of them a subject.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kimberly_core::UserId;
use kimberly_core::error::Error;
use kimberly_core::usecases::App;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, Span};

use super::carry_out::carry_out;

/// The handler of jobs that name a user.
pub(super) struct OfUser {
    pub(super) app: App,
    /// Creates the tracing span of a job, with its id and attempt.
    pub(super) span: fn(&JobEnvelope, Attempt) -> Span,
    /// Does the work for a user and a subject, which is empty if the job has none. The next attempt continues
    /// interrupted work.
    pub(super) work: fn(App, UserId, String) -> BoxFuture<'static, Result<(), Error>>,
}

impl JobHandler for OfUser {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let (app, span, work) = (self.app.clone(), self.span, self.work);
        async move {
            let nonsense = |_| HandlerError::permanent("the job has an invalid id");
            let user = UserId::parse(&job.user_id).map_err(nonsense)?;
            let span = span(&job, attempt);
            follow(&span, job.traceparent.as_deref());
            carry_out(work(app, user, job.subject_id).instrument(span)).await
        }
        .boxed()
    }
}
