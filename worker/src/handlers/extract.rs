//! The job `extract`: extracts memories from observed turns.

use futures::FutureExt as _;
use kimberly_core::usecases::App;
use tracing::info_span;

use super::of_user::OfUser;

/// Extracts in steps of one transaction each. If all attempts fail, the job of the next observation does it.
pub(super) fn handler(app: App) -> OfUser {
    OfUser {
        app,
        span: |job, attempt| info_span!("job.extract", job = job.job_id, attempt = attempt.number),
        work: |app, user, _| {
            async move {
                let read = app.extract_turns(&user, &[]).await?;
                let made: usize = read.iter().map(|turn| turn.made.len()).sum();
                tracing::info!(turns = read.len(), made, "extracted from turns");
                Ok(())
            }
            .boxed()
        },
    }
}
