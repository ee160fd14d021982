//! Lists the blocks, with the size of core memory and its limit.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListBlocksRequest>) -> Result<v1::ListBlocksResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let held = app.core_memory(&user, &request.namespace).await?;
    let bytes: usize = held.blocks.iter().map(|block| block.draft.content.len()).sum();
    let blocks = held.blocks.into_iter().map(|block| convert::memory::memory(&user, block));
    Ok(v1::ListBlocksResponse {
        blocks: blocks.collect::<Result<_>>()?,
        bytes: convert::int64(bytes as u64),
        limit_bytes: convert::int64(held.limit),
    })
}
