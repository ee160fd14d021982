//! Confirms that a memory is true.

use kimberly_core::usecases::VerifyInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::VerifyMemoryRequest>) -> Result<v1::VerifyMemoryResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let id = MemoryId::parse("id", &request.id)?;
    let input = VerifyInput { id, etag: request.etag, request_id: request.request_id, traceparent };
    let (receipt, verified) = app.verify_memory(&user, input).await?;
    Ok(v1::VerifyMemoryResponse {
        receipt: Some(convert::memory::receipt(receipt)),
        confidence: verified.confidence,
        verification_count: convert::int64(verified.verification_count),
    })
}
