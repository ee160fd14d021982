//! Error details beyond the code.

use tonic::Status;
use tonic_types::StatusExt as _;

/// `google.rpc.ErrorInfo.reason`, which must be under our domain; empty without details.
#[track_caller]
pub fn reason(status: &Status) -> String {
    let Some(info) = status.get_details_error_info() else { return String::new() };
    assert_eq!(info.domain, "kimberly.v1", "{status:?}");
    info.reason
}

/// The field paths in `google.rpc.BadRequest`.
pub fn field_paths(status: &Status) -> Vec<String> {
    let violations = status.get_details_bad_request().map(|bad| bad.field_violations).unwrap_or_default();
    violations.into_iter().map(|violation| violation.field).collect()
}
