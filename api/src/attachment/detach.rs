//! Detaches an attachment from a memory.

use kimberly_core::{AttachmentId, MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::DetachFromMemoryRequest>) -> Result<v1::DetachFromMemoryResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let memory = MemoryId::parse("memory_id", &request.memory_id)?;
    app.detach(&user, memory, AttachmentId::parse("id", &request.id)?).await?;
    Ok(v1::DetachFromMemoryResponse {})
}
