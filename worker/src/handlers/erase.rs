//! The job `erase`: erases data after a consent was withdrawn.

use futures::FutureExt as _;
use kimberly_core::usecases::App;
use tracing::info_span;

use super::of_user::OfUser;

/// Erases in steps of one transaction each. If all attempts fail, the next meditation does it.
pub(super) fn handler(app: App) -> OfUser {
    OfUser {
        app,
        span: |job, attempt| info_span!("job.erase", job = job.job_id, attempt = attempt.number),
        work: |app, user, _| {
            async move {
                let erased = app.erase_withheld(&user).await?;
                tracing::info!(erased, "memories whose consent was retracted were erased");
                Ok(())
            }
            .boxed()
        },
    }
}
