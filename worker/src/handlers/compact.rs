//! The job `compact`: summarizes the oldest turns of a session.

use futures::FutureExt as _;
use kimberly_core::MemoryId;
use kimberly_core::usecases::App;
use tracing::info_span;

use super::of_user::OfUser;

/// Compacts in steps of one transaction each. If all attempts fail, a later observation requests it again.
pub(super) fn handler(app: App) -> OfUser {
    OfUser {
        app,
        span: |job, attempt| info_span!("job.compact", job = job.job_id, attempt = attempt.number),
        work: |app, user, subject| {
            async move {
                let done = app.compact_due(&user, MemoryId::parse("turn_id", &subject)?).await?;
                tracing::info!(turns = done.turns, summaries = done.summaries.len(), "a session was compacted");
                Ok(())
            }
            .boxed()
        },
    }
}
