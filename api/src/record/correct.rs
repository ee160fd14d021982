//! Corrects a memory.

use kimberly_core::usecases::SupersedeInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::problems::Problems;

pub(super) async fn handle(entered: Entered<v1::CorrectMemoryRequest>) -> Result<v1::CorrectMemoryResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let mut problems = Problems::default();
    let detail = request.detail.and_then(|detail| convert::detail::detail("detail", detail, &mut problems));
    let id = problems.absorb(MemoryId::parse("id", &request.id)).unwrap_or(MemoryId(uuid::Uuid::nil()));
    let input = problems.finish(SupersedeInput {
        id,
        content: request.content,
        detail,
        confidence: None,
        reason: request.reason,
        because: None,
        etag: request.etag,
        request_id: request.request_id,
        traceparent,
    })?;
    let receipt = app.correct_memory(&user, input).await?;
    Ok(v1::CorrectMemoryResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
