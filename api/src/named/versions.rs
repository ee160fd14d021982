//! Versions of a record: lists them, reads one, compares two, returns to one, and redacts one.

use kimberly_core::Result;
use kimberly_core::memory::Detail;
use kimberly_core::usecases::named::{DiffInput, RedactInput, UndoInput};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::past::said;

pub(super) async fn list(entered: Entered<v1::ListVersionsRequest>) -> Result<v1::ListVersionsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let versions = app.list_versions(&user, &request.namespace, &request.name).await?;
    Ok(v1::ListVersionsResponse { versions: versions.iter().map(said).collect() })
}

pub(super) async fn get(entered: Entered<v1::GetVersionRequest>) -> Result<v1::GetVersionResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let version = app.get_version(&user, (&request.namespace, &request.name), request.version).await?;
    let detail = version.detail.as_deref().map(Detail::from_json).transpose()?;
    Ok(v1::GetVersionResponse {
        version: Some(said(&version)),
        content: version.content.unwrap_or_default(),
        detail: detail.map(convert::detail::to_wire),
    })
}

pub(super) async fn diff(entered: Entered<v1::DiffVersionsRequest>) -> Result<v1::DiffVersionsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let v1::DiffVersionsRequest { namespace, name, from_version: from, to_version: to, .. } = request;
    let diff = app.diff_versions(&user, DiffInput { namespace, name, from, to }).await?;
    Ok(v1::DiffVersionsResponse { diff })
}

pub(super) async fn undo(entered: Entered<v1::UndoEditRequest>) -> Result<v1::UndoEditResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let v1::UndoEditRequest { namespace, name, to_version: to, etag, request_id, .. } = request;
    let (receipt, version) =
        app.undo_edit(&user, UndoInput { namespace, name, to, etag, request_id, traceparent }).await?;
    Ok(v1::UndoEditResponse { receipt: Some(convert::memory::receipt(receipt)), version: convert::int64(version) })
}

pub(super) async fn redact(entered: Entered<v1::RedactVersionRequest>) -> Result<v1::RedactVersionResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let v1::RedactVersionRequest { namespace, name, version, request_id, .. } = request;
    app.redact_version(&user, RedactInput { namespace, name, version, request_id }).await?;
    Ok(v1::RedactVersionResponse {})
}
