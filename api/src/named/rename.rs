//! Renames a record.

use kimberly_core::Result;
use kimberly_core::usecases::named::RenameInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RenameRecordRequest>) -> Result<v1::RenameRecordResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let v1::RenameRecordRequest { namespace, name, new_name, etag, request_id, .. } = request;
    let input = RenameInput { namespace, name, new_name, etag, request_id, traceparent };
    let receipt = app.rename_record(&user, input).await?;
    Ok(v1::RenameRecordResponse { receipt: Some(convert::memory::receipt(receipt)) })
}
