//! Changes a block.

use kimberly_core::Result;
use kimberly_core::usecases::core_memory::UpdateBlockInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::UpdateBlockRequest>) -> Result<v1::UpdateBlockResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let v1::UpdateBlockRequest { namespace, label, content, description, read_only, etag, request_id, .. } = request;
    let input = UpdateBlockInput { namespace, label, content, description, read_only, etag, request_id, traceparent };
    let receipt = app.update_block(&user, input).await?;
    Ok(v1::UpdateBlockResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
