//! Rescues an archived or deleted memory.

use kimberly_core::usecases::RestoreInput;
use kimberly_core::{MemoryId, Result, UserId};
use kimberly_proto::v1;
use tonic::Request;

use crate::{Api, convert, trace_context};

pub(super) async fn handle(api: &Api, request: Request<v1::RestoreMemoryRequest>) -> Result<v1::RestoreMemoryResponse> {
    let traceparent = trace_context::traceparent(request.metadata());
    let request = request.into_inner();
    let user = UserId::parse(&request.user_id)?;
    let id = MemoryId::parse("id", &request.id)?;
    let input = RestoreInput { id, protect: request.protect, request_id: request.request_id, traceparent };
    let receipt = api.app.restore_memory(&user, input).await?;
    Ok(v1::RestoreMemoryResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
