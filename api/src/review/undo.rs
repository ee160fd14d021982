//! Undoes the decision on a review.

use kimberly_core::Result;
use kimberly_core::reviews::ReviewId;
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::UndoReviewRequest>) -> Result<v1::UndoReviewResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let changed = app.undo_review(&user, ReviewId::parse(&request.id)?, traceparent).await?;
    Ok(v1::UndoReviewResponse { changed })
}
