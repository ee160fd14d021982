//! Deletes a memory from recall, with all copies of what it states. They can be restored during the grace window.

use kimberly_core::usecases::{Along, DeleteInput};
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::DeleteMemoryRequest>) -> Result<v1::DeleteMemoryResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = MemoryId::parse("id", &request.id)?;
    let (receipt, along) = if request.dry_run {
        let (memory, along) = app.preview_deletion(&user, id).await?;
        (memory.receipt(), along)
    } else {
        let input = DeleteInput { id, etag: request.etag, request_id: request.request_id };
        let deleted = app.delete_memory(&user, input).await?;
        (deleted.receipt, deleted.along)
    };
    let Along { also_forgotten, struck, still_mentions } = along;
    Ok(v1::DeleteMemoryResponse {
        receipt: Some(convert::memory::receipt(receipt)),
        also_forgotten: texts(&also_forgotten),
        struck: texts(&struck),
        still_mentions: texts(&still_mentions),
    })
}

/// Returns ids as texts.
pub(super) fn texts(ids: &[MemoryId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}
