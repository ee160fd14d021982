//! Stores one memory.

use kimberly_core::Result;
use kimberly_core::usecases::CreateInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::CreateMemoryRequest>) -> Result<v1::CreateMemoryResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    let draft = convert::memory::draft("memory", request.memory)?;
    let drafts = vec![caller.draft(draft)];
    let (request_id, always_new) = (request.request_id, request.always_new);
    let input = CreateInput { drafts, always_new, request_id, traceparent, ..CreateInput::default() };
    let receipt = app.create_memories(&user, input).await?.pop();
    Ok(v1::CreateMemoryResponse { receipt: receipt.map(convert::memory::receipt) })
}
