//! What an error says beyond its code.

use tonic::Status;
use tonic_types::StatusExt as _;

/// `google.rpc.ErrorInfo.reason`, checked to be under our domain; empty if the error carries none.
#[track_caller]
pub fn reason(status: &Status) -> String {
    let Some(info) = status.get_details_error_info() else { return String::new() };
    assert_eq!(info.domain, "kimberly.v1", "{status:?}");
    info.reason
}

/// The paths that `google.rpc.BadRequest` names.
pub fn field_paths(status: &Status) -> Vec<String> {
    let violations = status.get_details_bad_request().map(|bad| bad.field_violations).unwrap_or_default();
    violations.into_iter().map(|violation| violation.field).collect()
}
