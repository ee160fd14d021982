//! Jobs that name a user, and perhaps a thing beside.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kimberly_core::UserId;
use kimberly_core::error::Error;
use kimberly_core::usecases::App;
use kimberly_queue::{Attempt, HandlerError, HandlerFuture, JobEnvelope, JobHandler};
use kimberly_runtime::telemetry::follow;
use tracing::{Instrument as _, Span};

use super::carry_out;

/// Carries out such a job.
pub(super) struct OfUser {
    pub(super) app: App,
    /// The span of a job, with its id and its attempt.
    pub(super) span: fn(&JobEnvelope, Attempt) -> Span,
    /// What it does, for a user and with a subject. Cut anywhere, the next run does the rest.
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
