//! Stores up to 1,000 memories, all or none.

use kimberly_core::bounds::MAX_BATCH;
use kimberly_core::usecases::CreateInput;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;
use tonic::Request;

use crate::{Api, convert, trace_context};

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::BatchCreateMemoriesRequest>,
) -> Result<v1::BatchCreateMemoriesResponse> {
    let traceparent = trace_context::traceparent(request.metadata());
    let request = request.into_inner();
    let user = UserId::parse(&request.user_id)?;
    if request.memories.len() > MAX_BATCH {
        let problem = format!("has {} entries; 1-{MAX_BATCH} are allowed", request.memories.len());
        return Err(Error::invalid("memories", problem));
    }
    let drafts = convert::memory::drafts(request.memories)?;
    let input = CreateInput { drafts, batch: true, request_id: request.request_id, traceparent };
    let receipts = api.app.create_memories(&user, input).await?;
    Ok(v1::BatchCreateMemoriesResponse { receipts: receipts.into_iter().map(convert::memory::receipt).collect() })
}
