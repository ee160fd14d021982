//! Stores up to 1,000 memories, all or none.

use kimberly_core::bounds::MAX_BATCH;
use kimberly_core::error::StorageFailure;
use kimberly_core::usecases::{App, CreateInput, PreparedMemories};
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

/// A batch with more bytes of content than this is prepared on its own thread, so that it does not block other calls.
const LARGE_BYTES: usize = 64 * 1024;

pub(super) async fn handle(
    entered: Entered<v1::BatchCreateMemoriesRequest>,
) -> Result<v1::BatchCreateMemoriesResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    if request.memories.len() > MAX_BATCH {
        let problem = format!("has {} entries; 1-{MAX_BATCH} are allowed", request.memories.len());
        return Err(Error::invalid("memories", problem));
    }
    let drafts = convert::memory::drafts(request.memories)?;
    let drafts: Vec<_> = drafts.into_iter().map(|draft| caller.draft(draft)).collect();
    let large = drafts.iter().map(|draft| draft.content.len()).sum::<usize>() > LARGE_BYTES;
    let (request_id, always_new) = (request.request_id, request.always_new);
    let input = CreateInput { drafts, batch: true, always_new, request_id, traceparent };
    let prepared = if large { off_thread(app.clone(), input).await? } else { app.prepare_memories(input)? };
    let receipts = app.store_memories(&user, prepared).await?;
    Ok(v1::BatchCreateMemoriesResponse { receipts: receipts.into_iter().map(convert::memory::receipt).collect() })
}

async fn off_thread(app: App, input: CreateInput) -> Result<PreparedMemories> {
    let preparing = tokio::task::spawn_blocking(move || app.prepare_memories(input));
    preparing.await.map_err(|_| Error::storage(StorageFailure::Defect, "preparing a batch panicked"))?
}
