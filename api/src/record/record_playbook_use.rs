//! Counts one use of a playbook.

use kimberly_core::usecases::PlaybookUseInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RecordPlaybookUseRequest>) -> Result<v1::RecordPlaybookUseResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let id = MemoryId::parse("id", &request.id)?;
    let input = PlaybookUseInput { id, success: request.success, request_id: request.request_id, traceparent };
    let (receipt, uses) = app.record_playbook_use(&user, input).await?;
    Ok(v1::RecordPlaybookUseResponse {
        receipt: Some(convert::memory::receipt(receipt)),
        used: uses.used,
        succeeded: uses.succeeded,
    })
}
