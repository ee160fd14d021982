//! Stores one memory.

use kimberly_core::usecases::CreateInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use tonic::Request;

use crate::{Api, convert, trace_context};

pub(super) async fn handle(api: &Api, request: Request<v1::CreateMemoryRequest>) -> Result<v1::CreateMemoryResponse> {
    let traceparent = trace_context::traceparent(request.metadata());
    let request = request.into_inner();
    let user = UserId::parse(&request.user_id)?;
    let drafts = vec![convert::memory::draft("memory", request.memory)?];
    let input = CreateInput { drafts, batch: false, request_id: request.request_id, traceparent };
    let receipt = api.app.create_memories(&user, input).await?.pop();
    Ok(v1::CreateMemoryResponse { receipt: receipt.map(convert::memory::receipt) })
}
