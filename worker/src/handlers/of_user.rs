//! Jobs that carry a user, and perhaps a subject.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kimberly_core::UserId;
use kimberly_core::error::Error;
use kimberly_core::usecases::App;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, Span};

use super::carry_out;

/// The handler of such a job.
pub(super) struct OfUser {
    pub(super) app: App,
    /// The span of a job, with its id and attempt.
    pub(super) span: fn(&JobEnvelope, Attempt) -> Span,
    /// The work, for a user and with a subject. If interrupted, the next attempt continues.
    pub(super) work: fn(App, UserId, String) -> BoxFuture<'static, Result<(), Error>>,
}

impl JobHandler for OfUser {
    fn handle(&self, job: JobEnvelope, attempt: Attempt) -> HandlerFuture {
        let (app, span, work) = (self.app.clone(), self.span, self.work);
        async move {
            let nonsense = |_| HandlerError::permanent("an id in the job is not one");
            let user = UserId::parse(&job.user_id).map_err(nonsense)?;
            let span = span(&job, attempt);
            follow(&span, job.traceparent.as_deref());
            carry_out(work(app, user, job.subject_id).instrument(span)).await
        }
        .boxed()
    }
}
