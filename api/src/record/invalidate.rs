//! Sets the time from which a memory no longer holds.

use kimberly_core::usecases::InvalidateInput;
use kimberly_core::{Error, MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::InvalidateMemoryRequest>) -> Result<v1::InvalidateMemoryResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let when = convert::time::optional_timestamp(request.when).map_err(|problem| Error::invalid("when", problem))?;
    let input = InvalidateInput {
        id: MemoryId::parse("id", &request.id)?,
        when,
        reason: request.reason,
        etag: request.etag,
        request_id: request.request_id,
        traceparent,
    };
    let (receipt, invalidated) = app.invalidate_memory(&user, input).await?;
    Ok(v1::InvalidateMemoryResponse {
        receipt: Some(convert::memory::receipt(receipt)),
        valid_to: Some(convert::time::wire_timestamp(invalidated.valid_to)),
    })
}
