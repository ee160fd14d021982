//! Requests the missing vectors of a user now.

use kimberly_core::Result;
use kimberly_core::usecases::embedding::RequestEmbeddingInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RequestEmbeddingRequest>) -> Result<v1::RequestEmbeddingResponse> {
    let Entered { message: request, user, app, system, traceparent, .. } = entered;
    let input = RequestEmbeddingInput { request_id: request.request_id, traceparent };
    let status = app.request_embedding(&*system.registry, &user, input).await?;
    Ok(v1::RequestEmbeddingResponse { status: Some(convert::embedding::status(&status)) })
}
