//! Dismisses a review, which is then no longer listed.

use kimberly_core::Result;
use kimberly_core::reviews::ReviewId;
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::DismissReviewRequest>) -> Result<v1::DismissReviewResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let changed = app.dismiss_review(&user, ReviewId::parse(&request.id)?).await?;
    Ok(v1::DismissReviewResponse { changed })
}
