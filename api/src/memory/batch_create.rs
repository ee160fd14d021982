//! Stores up to 1,000 memories, all or none.

use kimberly_core::bounds::MAX_BATCH;
use kimberly_core::error::StorageFailure;
use kimberly_core::usecases::{CreateInput, PreparedMemories};
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;
use tonic::Request;

use crate::{Api, convert, trace_context};

/// A batch with more content than this is prepared on a thread of its own, so that other calls need not wait for it.
const LARGE_BYTES: usize = 64 * 1024;

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
    let large = drafts.iter().map(|draft| draft.content.len()).sum::<usize>() > LARGE_BYTES;
    let input = CreateInput { drafts, batch: true, request_id: request.request_id, traceparent };
    let prepared = if large { off_thread(api, input).await? } else { api.app.prepare_memories(input)? };
    let receipts = api.app.store_memories(&user, prepared).await?;
    Ok(v1::BatchCreateMemoriesResponse { receipts: receipts.into_iter().map(convert::memory::receipt).collect() })
}

async fn off_thread(api: &Api, input: CreateInput) -> Result<PreparedMemories> {
    let app = api.app.clone();
    let preparing = tokio::task::spawn_blocking(move || app.prepare_memories(input));
    preparing.await.map_err(|_| Error::storage(StorageFailure::Defect, "preparing a batch panicked"))?
}
