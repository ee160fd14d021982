//! The job `summarize`: asks the language model to reword a summary.

use futures::FutureExt as _;
use kimberly_core::MemoryId;
use kimberly_core::usecases::App;
use tokio::sync::Semaphore;
use tracing::info_span;

use super::of_user::OfUser;

/// One summary at a time: a model takes seconds, and other jobs need the worker's permits.
static MODEL: Semaphore = Semaphore::const_new(1);
/// Seconds after which a job runs again that found the model busy.
const BUSY_S: u64 = 20;

/// Asks the model once. If the model does not answer, the summary keeps the sentences that rules selected.
pub(super) fn handler(app: App) -> OfUser {
    OfUser {
        app,
        span: |job, attempt| info_span!("job.summarize", job = job.job_id, attempt = attempt.number),
        work: |app, user, subject| {
            async move {
                let summary = MemoryId::parse("summary_id", &subject)?;
                let Ok(_permit) = MODEL.try_acquire() else {
                    return app.reword_later(&user, summary, BUSY_S).await;
                };
                let by = app.reword_summary(&user, summary).await?;
                tracing::info!(by = by.name(), "a summary was reworded");
                Ok(())
            }
            .boxed()
        },
    }
}
