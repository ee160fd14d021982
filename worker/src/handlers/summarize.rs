//! The job `summarize`: has the language model put a summary into words.

use futures::FutureExt as _;
use kimberly_core::MemoryId;
use kimberly_core::usecases::App;
use tracing::info_span;

use super::of_user::OfUser;

/// Asks once. Where the model does not answer, the sentences that rules took stay.
pub(super) fn handler(app: App) -> OfUser {
    OfUser {
        app,
        span: |job, attempt| info_span!("job.summarize", job = job.job_id, attempt = attempt.number),
        work: |app, user, subject| {
            async move {
                let by = app.reword_summary(&user, MemoryId::parse("summary_id", &subject)?).await?;
                tracing::info!(by = by.name(), "a summary is put into words");
                Ok(())
            }
            .boxed()
        },
    }
}
