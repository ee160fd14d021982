//! The job `attachments`: removes the bytes of deleted attachments and of attachments without a memory, and reseals
//! those that were attached to sensitive memories.

use futures::FutureExt as _;
use kimberly_core::usecases::App;
use kimberly_core::usecases::attachments::Tidied;
use tracing::info_span;

use super::of_user::OfUser;

/// Removes what is due. If all attempts fail, the next meditation removes it.
pub(super) fn handler(app: App) -> OfUser {
    OfUser {
        app,
        span: |job, attempt| info_span!("job.attachments", job = job.job_id, attempt = attempt.number),
        work: |app, user, _| {
            async move {
                let tidied = app.tidy_attachments(&user, false).await?;
                let Tidied { sealed, expired, removed, .. } = tidied;
                tracing::info!(sealed, expired, removed, "attachments were cleaned up");
                if tidied.unsealed > 0 {
                    tracing::warn!(
                        unsealed = tidied.unsealed,
                        "attachments of sensitive memories could not be sealed yet"
                    );
                }
                Ok(())
            }
            .boxed()
        },
    }
}
