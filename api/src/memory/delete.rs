//! Takes a memory out of recall; it stays restorable for the grace window.

use kimberly_core::usecases::DeleteInput;
use kimberly_core::{MemoryId, Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::DeleteMemoryRequest) -> Result<v1::DeleteMemoryResponse> {
    let user = UserId::parse(&request.user_id)?;
    let id = MemoryId::parse("id", &request.id)?;
    let input = DeleteInput { id, etag: request.etag, request_id: request.request_id };
    let receipt = api.app.delete_memory(&user, input).await?;
    Ok(v1::DeleteMemoryResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
