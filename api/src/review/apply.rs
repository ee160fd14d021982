//! Applies a change to a review.

use kimberly_core::reviews::ReviewId;
use kimberly_core::usecases::reviews::ApplyInput;
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::enums::{self, WireEnum as _};

pub(super) async fn handle(entered: Entered<v1::ApplyReviewRequest>) -> Result<v1::ApplyReviewResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let id = ReviewId::parse(&request.id)?;
    let choice = enums::optional(request.choice).map_err(|problem| Error::invalid("choice", problem))?;
    let input = ApplyInput { id, choice, request_id: request.request_id, traceparent };
    let applied = app.apply_review(&user, input).await?;
    Ok(v1::ApplyReviewResponse {
        applied: applied.change.number(),
        changed_id: applied.changed.map(|id| id.to_string()).unwrap_or_default(),
        undoable: applied.change.can_be_undone(),
    })
}
