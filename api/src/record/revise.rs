//! Revises a belief.

use kimberly_core::usecases::SupersedeInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ReviseBeliefRequest>) -> Result<v1::ReviseBeliefResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let because = convert::text(request.episode_id).map(|id| MemoryId::parse("episode_id", &id)).transpose()?;
    let input = SupersedeInput {
        id: MemoryId::parse("id", &request.id)?,
        content: request.content,
        detail: None,
        confidence: request.confidence,
        reason: request.reason,
        because,
        etag: request.etag,
        request_id: request.request_id,
        traceparent,
    };
    let receipt = app.revise_belief(&user, input).await?;
    Ok(v1::ReviseBeliefResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
