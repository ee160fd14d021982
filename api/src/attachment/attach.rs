//! Attaches an uploaded file to a memory.

use kimberly_core::access::Operation;
use kimberly_core::{AttachmentId, MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::attachment::attachment;

pub(super) async fn handle(entered: Entered<v1::AttachToMemoryRequest>) -> Result<v1::AttachToMemoryResponse> {
    let Entered { message: request, user, app, caller, .. } = entered;
    let memory = MemoryId::parse("memory_id", &request.memory_id)?;
    let attached = app.attach(&user, memory, AttachmentId::parse("id", &request.id)?).await?;
    // Another caller may have uploaded the file, and permission to write does not include permission to read.
    let shown = if caller.grant.allows(Operation::Read) {
        attachment(attached)
    } else {
        v1::Attachment { id: request.id, memory_ids: vec![request.memory_id], ..v1::Attachment::default() }
    };
    Ok(v1::AttachToMemoryResponse { attachment: Some(shown) })
}
