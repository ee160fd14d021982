//! Has a user's missing vectors made now.

use kimberly_core::usecases::embedding::RequestEmbeddingInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use tonic::Request;

use crate::{Api, convert, trace_context};

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::RequestEmbeddingRequest>,
) -> Result<v1::RequestEmbeddingResponse> {
    let traceparent = trace_context::traceparent(request.metadata());
    let request = request.into_inner();
    let user = UserId::parse(&request.user_id)?;
    let input = RequestEmbeddingInput { request_id: request.request_id, traceparent };
    let status = api.app.request_embedding(&user, input).await?;
    Ok(v1::RequestEmbeddingResponse { status: Some(convert::embedding::status(&status)) })
}
