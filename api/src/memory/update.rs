//! Changes the fields of a memory that the mask names.

use kimberly_core::memory::{MemoryPatch, Tier};
use kimberly_core::usecases::UpdateInput;
use kimberly_core::{Error, MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::enums;

pub(super) async fn handle(entered: Entered<v1::UpdateMemoryRequest>) -> Result<v1::UpdateMemoryResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    let id = MemoryId::parse("id", &request.id)?;
    let tier = request.memory.as_ref().map_or(0, |memory| memory.tier);
    let values = caller.draft(convert::memory::draft("memory", request.memory)?);
    let patch = MemoryPatch::new(values, &request.update_mask.unwrap_or_default().paths)?;
    if patch.paths().contains(&"tier") {
        enums::set::<Tier>(tier).map_err(|problem| Error::invalid("memory.tier", problem))?;
    }
    let input = UpdateInput { id, patch, etag: request.etag, request_id: request.request_id, traceparent };
    let receipt = app.update_memory(&user, input).await?;
    Ok(v1::UpdateMemoryResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
