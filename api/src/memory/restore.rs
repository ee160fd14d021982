//! Restores an archived or deleted memory.

use kimberly_core::usecases::RestoreInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RestoreMemoryRequest>) -> Result<v1::RestoreMemoryResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let id = MemoryId::parse("id", &request.id)?;
    let input = RestoreInput { id, protect: request.protect, request_id: request.request_id, traceparent };
    let receipt = app.restore_memory(&user, input).await?;
    Ok(v1::RestoreMemoryResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
