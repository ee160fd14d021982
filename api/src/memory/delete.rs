//! Deletes a memory from recall. It can be restored during the grace window.

use kimberly_core::usecases::DeleteInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::DeleteMemoryRequest>) -> Result<v1::DeleteMemoryResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = MemoryId::parse("id", &request.id)?;
    let input = DeleteInput { id, etag: request.etag, request_id: request.request_id };
    let receipt = app.delete_memory(&user, input).await?;
    Ok(v1::DeleteMemoryResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
