//! Creates a memory of a higher layer from others.

use kimberly_core::bounds::MAX_PROMOTED;
use kimberly_core::usecases::PromoteInput;
use kimberly_core::{Error, MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::PromoteMemoriesRequest>) -> Result<v1::PromoteMemoriesResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    if request.ids.len() > MAX_PROMOTED {
        let problem = format!("has {} entries; 1-{MAX_PROMOTED} are allowed", request.ids.len());
        return Err(Error::invalid("ids", problem));
    }
    let ids = request.ids.iter().enumerate().map(|(index, id)| MemoryId::parse(&format!("ids[{index}]"), id));
    let input = PromoteInput {
        ids: ids.collect::<Result<_>>()?,
        draft: caller.draft(convert::memory::draft("memory", request.memory)?),
        reason: request.reason,
        request_id: request.request_id,
        traceparent,
    };
    let receipt = app.promote_memories(&user, input).await?;
    Ok(v1::PromoteMemoriesResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
