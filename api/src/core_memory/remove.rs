//! Removes a block.

use kimberly_core::Result;
use kimberly_core::usecases::core_memory::RemoveBlockInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RemoveBlockRequest>) -> Result<v1::RemoveBlockResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let v1::RemoveBlockRequest { namespace, label, etag, request_id, .. } = request;
    let receipt = app.remove_block(&user, RemoveBlockInput { namespace, label, etag, request_id }).await?;
    Ok(v1::RemoveBlockResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
