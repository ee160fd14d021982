//! Counts one interaction with the person or agent of a relationship.

use kimberly_core::usecases::InteractionInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RecordInteractionRequest>) -> Result<v1::RecordInteractionResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let input = InteractionInput {
        id: MemoryId::parse("id", &request.id)?,
        trust: request.trust,
        sentiment: request.sentiment,
        request_id: request.request_id,
        traceparent,
    };
    let (receipt, met) = app.record_interaction(&user, input).await?;
    Ok(v1::RecordInteractionResponse {
        receipt: Some(convert::memory::receipt(receipt)),
        interactions: met.interactions,
        trust: met.trust,
        sentiment: met.sentiment,
    })
}
