//! Adds a block.

use kimberly_core::Result;
use kimberly_core::usecases::core_memory::AddBlockInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::AddBlockRequest>) -> Result<v1::AddBlockResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let v1::AddBlockRequest { namespace, label, content, description, read_only, request_id, .. } = request;
    let input = AddBlockInput { namespace, label, content, description, read_only, request_id, traceparent };
    let receipt = app.add_block(&user, input).await?;
    Ok(v1::AddBlockResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
