//! The one place where gRPC status codes are made: each error of the domain as a status with google.rpc details.
//!
//! What storage says about its failures stays in the log: callers learn what kind of failure it was and what to do.

use std::collections::HashMap;
use std::time::Duration;

use kimberly_core::error::{Entity, StorageFailure};
use kimberly_core::{Error, FieldViolation};
use kimberly_proto::v1::ErrorReason;
use kimberly_transcode::Refusal;
use prost::Message as _;
use tonic::body::Body;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation as WireViolation, QuotaViolation, StatusExt as _};

/// The domain of every `google.rpc.ErrorInfo`.
pub const DOMAIN: &str = "kimberly.v1";
/// When to try again after a failure that may pass.
const RETRY_AFTER: Duration = Duration::from_millis(250);
/// Details travel in a header, and some clients take 8 KiB of headers in all: most bytes of violations that are listed.
const MAX_VIOLATION_BYTES: usize = 3_000;
/// Longest path of a field, in bytes; keys of attributes can make one longer than that.
const MAX_FIELD_BYTES: usize = 120;
/// Longest description, in bytes; it may repeat what was sent.
const MAX_DESCRIPTION_BYTES: usize = 320;
/// Longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 512;

/// The status of an error.
pub fn status(error: Error) -> Status {
    let message = error.to_string();
    match error {
        Error::Invalid(violations) => invalid(&message, &violations),
        Error::InvalidPageToken => {
            let violation = FieldViolation::new("page_token", "is not one that this call returned; start without it");
            let mut details = info(ErrorReason::InvalidPageToken, []);
            details.set_bad_request(vec![wire_violation(&violation)]);
            build(Code::InvalidArgument, &message, details)
        }
        Error::InvalidCursor => {
            let violation = FieldViolation::new("cursor", "is not one that this call returned; start without it");
            let mut details = info(ErrorReason::InvalidPageToken, []);
            details.set_bad_request(vec![wire_violation(&violation)]);
            build(Code::InvalidArgument, &message, details)
        }
        Error::CursorExpired => build(Code::OutOfRange, &message, info(ErrorReason::CursorExpired, [])),
        Error::StreamOrder { .. } => build(Code::InvalidArgument, &message, info(ErrorReason::StreamOrder, [])),
        Error::MemoryExists { id } => {
            build(Code::AlreadyExists, &message, info(ErrorReason::MemoryExists, [("id", id.to_string())]))
        }
        Error::NotFound { entity, id } => build(Code::NotFound, &message, info(missing(entity), [("id", id)])),
        Error::EtagMismatch { current } => {
            build(Code::Aborted, &message, info(ErrorReason::EtagMismatch, [("etag", current)]))
        }
        Error::RequestIdReused { request_id } => {
            let details = info(ErrorReason::RequestIdReused, [("request_id", request_id)]);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::QuotaExceeded { tier, used, limit, requested } => {
            build(Code::ResourceExhausted, &message, quota(&tier.to_string(), used, limit, requested, &message))
        }
        Error::ArchiveFull { used, limit, requested } => {
            build(Code::ResourceExhausted, &message, quota("archive", used, limit, requested, &message))
        }
        Error::ConsentRequired { field } => {
            let details = info(ErrorReason::ConsentRequired, [("field", field)]);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::WrongState { id, state, .. } => {
            let details = info(ErrorReason::WrongState, [("id", id), ("state", state.to_string())]);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::PlanChanged => build(Code::FailedPrecondition, &message, info(ErrorReason::PlanChanged, [])),
        Error::LimitReached { what, limit } => {
            let details = info(ErrorReason::LimitReached, [("what", what.to_owned()), ("limit", limit.to_string())]);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::Storage { failure, detail } => storage(failure, &detail),
    }
}

/// Which bound on calls was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Calls of all users.
    Server,
    /// Calls of one user.
    User,
    /// Streams.
    Streams,
    /// Bytes of requests that are held.
    Bytes,
}

impl Limit {
    const fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Server => {
                ("server", "as many calls are being served as the server is configured for; try again later")
            }
            Self::User => {
                ("user", "the user has as many calls running as one may have; try again when some have ended")
            }
            Self::Streams => ("streams", "as many streams are open as one user or all may have; end some or try later"),
            Self::Bytes => {
                ("bytes", "requests of as many bytes as the server may hold are being served; try again later")
            }
        }
    }
}

/// Too many requests at once.
pub fn overloaded(limit: Limit) -> Status {
    let (name, message) = limit.told();
    let mut details = info(ErrorReason::Overloaded, [("limit", name.to_owned())]);
    details.set_retry_info(Some(RETRY_AFTER));
    build(Code::ResourceExhausted, message, details)
}

/// Calls come faster than the configured rate of a `limit`, "user" or "credential", allows; the next may come `after`.
pub fn rate_limited(limit: &str, after: Duration) -> Status {
    let mut details = info(ErrorReason::RateLimited, [("limit", limit.to_owned())]);
    details.set_retry_info(Some(after));
    let message =
        format!("calls of this {limit} come faster than the server allows; the next may come after {after:?}");
    build(Code::ResourceExhausted, &message, details)
}

/// A web page called that may not.
pub fn foreign_origin(why: &str) -> Status {
    build(Code::PermissionDenied, why, info(ErrorReason::ForeignOrigin, []))
}

/// A status as the trailers that end a stream.
pub fn as_trailers(status: &Status) -> http::HeaderMap {
    let mut trailers = http::HeaderMap::new();
    // What we say is percent-encoded, so that it always makes headers.
    if status.add_header(&mut trailers).is_err() {
        trailers.insert(Status::GRPC_STATUS, http::HeaderValue::from(i32::from(status.code())));
    }
    trailers
}

/// A status as an answer of HTTP in JSON, for requests that are refused before anybody knows what they want.
pub fn as_json(status: &Status, http: http::StatusCode) -> http::Response<Body> {
    let details = status.get_error_details();
    let info = details.error_info().map(|info| {
        let kind = "type.googleapis.com/google.rpc.ErrorInfo";
        serde_json::json!({"@type": kind, "reason": info.reason, "domain": info.domain, "metadata": info.metadata})
    });
    let delay = details.retry_info().and_then(|info| info.retry_delay);
    let retry = delay.map(|delay| {
        let kind = "type.googleapis.com/google.rpc.RetryInfo";
        serde_json::json!({"@type": kind, "retryDelay": format!("{:.3}s", delay.as_secs_f64())})
    });
    let details: Vec<_> = info.into_iter().chain(retry).collect();
    let body = serde_json::json!({"code": status.code() as i32, "message": status.message(), "details": details});
    let mut response = http::Response::new(Body::new(body.to_string()));
    *response.status_mut() = http;
    response.headers_mut().insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    if let Some(delay) = delay {
        // Whole seconds, rounded up.
        let seconds = delay.as_secs().saturating_add(u64::from(delay.subsec_nanos() > 0)).max(1);
        response.headers_mut().insert(http::header::RETRY_AFTER, seconds.into());
    }
    response
}

/// The connection is to be closed because of its age; the caller goes on over another one.
pub fn reconnect() -> Status {
    let mut details = info(ErrorReason::ShuttingDown, []);
    details.set_retry_info(Some(RETRY_AFTER));
    build(Code::Unavailable, "this connection is old and will be closed; go on over another one", details)
}

/// The deadline passed before there was an answer.
pub fn deadline_exceeded(after: Duration) -> Status {
    let message =
        format!("no answer within {after:?}; a write may still have happened, so repeat it with its request_id");
    build(Code::DeadlineExceeded, &message, info(ErrorReason::DeadlineExceeded, []))
}

/// The server is stopping.
pub fn shutting_down() -> Status {
    let mut details = info(ErrorReason::ShuttingDown, []);
    details.set_retry_info(Some(RETRY_AFTER));
    build(Code::Unavailable, "the server is stopping; try again", details)
}

/// What the transport refused before a handler saw it, said as this service says it: a request that cannot be decoded
/// is its caller's fault, although the transport calls it INTERNAL, and one that is too large stays so when repeated.
pub fn refused_by_transport(refused: &Status) -> Option<Status> {
    let ours = !refused.details().is_empty();
    if ours {
        return None;
    }
    let (code, reason, message) = match (refused.code(), refused.message()) {
        (Code::Internal, why) => {
            let message = format!("the request is not a message of the contract: {why}");
            (Code::InvalidArgument, ErrorReason::InvalidField, message)
        }
        (Code::OutOfRange | Code::ResourceExhausted, why) => {
            (Code::OutOfRange, ErrorReason::RequestTooLarge, format!("the request is too large: {why}"))
        }
        (Code::Unimplemented, "") => {
            (Code::Unimplemented, ErrorReason::NoSuchMethod, "there is no such rpc; reflection lists all".to_owned())
        }
        (Code::Unimplemented, why) => (Code::Unimplemented, ErrorReason::NoSuchMethod, why.to_owned()),
        _ => return None,
    };
    let mut said = build(code, &message, info(reason, []));
    // Such as the encodings that the server takes.
    *said.metadata_mut() = refused.metadata().clone();
    Some(said)
}

/// An HTTP request that is no call of any rpc.
pub fn refused(refusal: &Refusal) -> Status {
    let said = |code, reason, problem: &str| build(code, problem, info(reason, []));
    match refusal {
        Refusal::NoSuchPath => {
            said(Code::NotFound, ErrorReason::NoSuchMethod, "there is no such path; /openapi.json lists all")
        }
        Refusal::WrongMethod { allowed } => {
            let message = format!("this path takes {allowed} only; /openapi.json lists all");
            said(Code::Unimplemented, ErrorReason::NoSuchMethod, &message)
        }
        Refusal::UnsupportedBody { problem } | Refusal::InvalidJson { problem } => {
            said(Code::InvalidArgument, ErrorReason::InvalidJson, problem)
        }
        Refusal::TooLarge { problem } => said(Code::OutOfRange, ErrorReason::RequestTooLarge, problem),
        Refusal::TooSlow { after } => {
            let message = format!("the body did not arrive within {after:?}");
            said(Code::DeadlineExceeded, ErrorReason::DeadlineExceeded, &message)
        }
        Refusal::InvalidField { field, problem } => status(Error::invalid(field.clone(), problem.clone())),
        Refusal::Defect { problem } => {
            tracing::error!(problem, "an answer cannot be transcoded");
            internal()
        }
    }
}

/// A status as a message, for the outcome of one item of many.
pub fn as_message(status: &Status) -> tonic_types::pb::Status {
    // The details that we make are just this message, encoded.
    tonic_types::pb::Status::decode(status.details()).unwrap_or_else(|_| tonic_types::pb::Status {
        code: status.code().into(),
        message: status.message().to_owned(),
        details: Vec::new(),
    })
}

/// A defect of ours; what it was stands in the log.
pub fn internal() -> Status {
    build(Code::Internal, "internal error; the server's log says more", info(ErrorReason::Internal, []))
}

fn storage(failure: StorageFailure, detail: &str) -> Status {
    match failure {
        StorageFailure::Unavailable => {
            tracing::warn!(detail, "storage is unavailable");
            let mut details = info(ErrorReason::StorageUnavailable, []);
            details.set_retry_info(Some(RETRY_AFTER));
            build(Code::Unavailable, "storage is busy or does not answer; try again", details)
        }
        StorageFailure::Full => {
            tracing::error!(detail, "the disk is full");
            let message = "the server's disk is full; nothing was written";
            build(Code::ResourceExhausted, message, info(ErrorReason::StorageFull, []))
        }
        StorageFailure::Corrupt => {
            tracing::error!(detail, "a vault is damaged");
            let message = "the vault is damaged or from a newer version; `kimberly doctor` says more";
            build(Code::DataLoss, message, info(ErrorReason::StorageCorrupt, []))
        }
        StorageFailure::Defect => {
            tracing::error!(detail, "storage failed");
            internal()
        }
    }
}

fn invalid(message: &str, violations: &[FieldViolation]) -> Status {
    let mut bytes = 0;
    let listed: Vec<WireViolation> = violations
        .iter()
        .map(wire_violation)
        .take_while(|violation| {
            let first = bytes == 0;
            bytes += violation.field.len() + violation.description.len();
            first || bytes <= MAX_VIOLATION_BYTES
        })
        .collect();
    let mut details = match violations.len().saturating_sub(listed.len()) {
        0 => info(ErrorReason::InvalidField, []),
        more => info(ErrorReason::InvalidField, [("not_listed", more.to_string())]),
    };
    details.set_bad_request(listed);
    build(Code::InvalidArgument, message, details)
}

fn wire_violation(violation: &FieldViolation) -> WireViolation {
    WireViolation {
        field: shortened(&violation.field, MAX_FIELD_BYTES),
        description: shortened(&violation.problem, MAX_DESCRIPTION_BYTES),
        ..WireViolation::default()
    }
}

fn quota(tier: &str, used: u64, limit: u64, requested: u64, description: &str) -> ErrorDetails {
    let numbers = [
        ("tier", tier.to_string()),
        ("used", used.to_string()),
        ("limit", limit.to_string()),
        ("requested", requested.to_string()),
    ];
    let violation = QuotaViolation {
        subject: format!("tier:{tier}"),
        description: description.to_owned(),
        api_service: DOMAIN.to_owned(),
        quota_metric: "bytes".to_owned(),
        quota_id: "hard_limit".to_owned(),
        quota_dimensions: owned(numbers.clone()),
        quota_value: i64::try_from(limit).unwrap_or(i64::MAX),
        ..QuotaViolation::default()
    };
    let mut details = info(ErrorReason::QuotaExceeded, numbers);
    details.set_quota_failure(vec![violation]);
    details
}

const fn missing(entity: Entity) -> ErrorReason {
    match entity {
        Entity::Memory => ErrorReason::MemoryNotFound,
        Entity::Meditation => ErrorReason::MeditationNotFound,
        Entity::Goal => ErrorReason::GoalNotFound,
    }
}

fn info<const N: usize>(reason: ErrorReason, metadata: [(&str, String); N]) -> ErrorDetails {
    let name = reason.as_str_name();
    ErrorDetails::with_error_info(name.strip_prefix("ERROR_REASON_").unwrap_or(name), DOMAIN, owned(metadata))
}

fn owned<const N: usize>(pairs: [(&str, String); N]) -> HashMap<String, String> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn build(code: Code, message: &str, details: ErrorDetails) -> Status {
    Status::with_error_details(code, shortened(message, MAX_MESSAGE_BYTES), details)
}

/// The start of a text, on a character's boundary.
fn shortened(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}...", &text[..end])
}

#[cfg(test)]
mod tests;
