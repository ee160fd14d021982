//! Starts to erase all data of a user.

use kimberly_core::Result;
use kimberly_proto::v1;
use kimberly_queue::PURGE;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::PurgeUserRequest>) -> Result<v1::PurgeUserResponse> {
    let Entered { message: request, user, app, system, traceparent, .. } = entered;
    let purge = app.purge_user(&*system.purges, &user, &request.confirm_user_id).await?;
    // Done once the vault is hidden, so that nothing is written afterwards.
    system.working.forget(&user).await?;
    let mut job = PURGE.job("", &purge.id.to_string(), &purge.id.0.to_string());
    job.traceparent = traceparent;
    if let Err(error) = system.queue.push(&job).await {
        // The purge has started, and workers regularly look for unfinished purges.
        tracing::warn!(%error, "the job of a purge is not in the queue; a worker finds the purge by itself");
    }
    Ok(v1::PurgeUserResponse { purge: Some(convert::purge::purge(purge)) })
}
