//! Edits a record in place.

use kimberly_core::memory::Edit;
use kimberly_core::usecases::named::EditInput;
use kimberly_core::{Error, Result};
use kimberly_proto::v1;
use kimberly_proto::v1::edit_record_request::Edit as Asked;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::EditRecordRequest>) -> Result<v1::EditRecordResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let v1::EditRecordRequest { namespace, name, edit, etag, content_sha256, request_id, reason, .. } = request;
    let edit = match edit {
        Some(Asked::Replace(replace)) => Edit::Replace { old: replace.old, new: replace.new },
        Some(Asked::Insert(insert)) => Edit::Insert { line: insert.line.into(), text: insert.text },
        Some(Asked::Append(text)) => Edit::Append(text),
        Some(Asked::Whole(text)) => Edit::Whole(text),
        None => return Err(Error::invalid("edit", "is unset; set one of replace, insert, append and whole")),
    };
    let discard_previous = request.discard_previous;
    let input =
        EditInput { namespace, name, edit, etag, content_sha256, reason, discard_previous, request_id, traceparent };
    let (receipt, line) = app.edit_record(&user, input).await?;
    Ok(v1::EditRecordResponse { receipt: Some(convert::memory::receipt(receipt)), line: convert::int32(line) })
}
