//! The only place that creates gRPC status codes: converts each domain error to a status with google.rpc details.
//!
//! Details of storage failures go to the log only. Callers learn the kind of failure and what to do.

mod details;
mod forms;
mod limits;
mod transport;

use std::time::Duration;

use details::{info, invalid, missing, quota, wire_violation};
pub use forms::{as_json, as_message, as_trailers};
use kimberly_core::error::{Relief, StorageFailure};
use kimberly_core::memory::Tier;
use kimberly_core::{Error, FieldViolation};
use kimberly_proto::v1::ErrorReason;
pub use limits::{Limit, overloaded, rate_limited};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};
pub use transport::{in_our_words, no_such_rpc, refused, refused_by_transport};

/// The domain of every `google.rpc.ErrorInfo`.
pub const DOMAIN: &str = "kimberly.v1";
/// Retry delay after a temporary failure.
const RETRY_AFTER: Duration = Duration::from_millis(250);
/// Delay before checking again whether a meditation has freed space.
const ROOM_AFTER: Duration = Duration::from_secs(1);
/// Maximum length of a message, in bytes.
const MAX_MESSAGE_BYTES: usize = 512;

/// Converts an error to a status.
pub fn status(error: Error) -> Status {
    let message = error.to_string();
    let about = |code, reason, fact: (&'static str, String)| build(code, &message, info(reason, [fact]));
    match error {
        Error::Invalid(violations) => invalid(&message, &violations),
        Error::InvalidPageToken => unknown_position(&message, "page_token"),
        Error::InvalidCursor => unknown_position(&message, "cursor"),
        Error::CursorExpired => build(Code::OutOfRange, &message, info(ErrorReason::CursorExpired, [])),
        Error::StreamOrder { .. } => build(Code::InvalidArgument, &message, info(ErrorReason::StreamOrder, [])),
        Error::MemoryExists { id } => about(Code::AlreadyExists, ErrorReason::MemoryExists, ("id", id.to_string())),
        Error::NameTaken => build(Code::AlreadyExists, &message, info(ErrorReason::NameTaken, [])),
        Error::NotFound { entity, id } => build(Code::NotFound, &message, info(missing(entity), [("id", id)])),
        Error::EtagMismatch { current } => about(Code::Aborted, ErrorReason::EtagMismatch, ("etag", current)),
        Error::RequestIdReused { request_id } => {
            let details = info(ErrorReason::RequestIdReused, [("request_id", request_id)]);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::QuotaExceeded { tier, used, limit, requested, relief } => {
            full_tier(tier, (used, limit, requested), relief, &message)
        }
        Error::ArchiveFull { used, limit, requested } => {
            full(&message, quota("archive", (Some(used), limit, requested), [], &message))
        }
        Error::TooMuchProtected { tier, used, limit, requested, raise_to } => {
            protected(tier, (used, limit, requested), raise_to, &message)
        }
        Error::AttachmentsFull { used, limit, requested } => {
            full(&message, quota("attachments", (used, limit, requested), [], &message))
        }
        Error::UploadGone => unavailable(&message, ErrorReason::StorageUnavailable),
        Error::ConsentRequired { field, why, tier } => {
            let facts = [("field", field), ("why", why.name().to_owned()), ("tier", tier.to_string())];
            let details = info(ErrorReason::ConsentRequired, facts);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::WrongState { id, state, .. } => {
            let details = info(ErrorReason::WrongState, [("id", id), ("state", state.to_string())]);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::Conflict { field, .. } => about(Code::FailedPrecondition, ErrorReason::WrongState, ("field", field)),
        Error::CertificateExists => {
            let details = info(ErrorReason::CredentialExists, [("field", "certificate".to_owned())]);
            build(Code::AlreadyExists, &message, details)
        }
        Error::EmbeddingsOff { by } => {
            build(Code::FailedPrecondition, &message, info(ErrorReason::EmbeddingsOff, [("by", by.to_owned())]))
        }
        Error::WrongModel { known, .. } => about(Code::FailedPrecondition, ErrorReason::WrongModel, ("models", known)),
        Error::EmbedderUnavailable => unavailable(&message, ErrorReason::EmbedderUnavailable),
        Error::Purging => unavailable(&message, ErrorReason::PurgeUnderWay),
        Error::Quarantined { damage } => damaged(ErrorReason::VaultQuarantined, ("damage", damage.as_str()), &message),
        Error::SharedFileDamaged(file) => damaged(ErrorReason::StorageCorrupt, ("file", file.name()), &message),
        Error::Unauthenticated => build(Code::Unauthenticated, &message, info(ErrorReason::Unauthenticated, [])),
        Error::Denied => build(Code::PermissionDenied, &message, info(ErrorReason::PermissionDenied, [])),
        Error::CredentialExists { name } => {
            build(Code::AlreadyExists, &message, info(ErrorReason::CredentialExists, [("name", name)]))
        }
        Error::SigningOff => build(Code::FailedPrecondition, &message, info(ErrorReason::SigningOff, [])),
        Error::PlanChanged => build(Code::FailedPrecondition, &message, info(ErrorReason::PlanChanged, [])),
        Error::LimitReached { what, limit } => {
            let details = info(ErrorReason::LimitReached, [("what", what.to_owned()), ("limit", limit.to_string())]);
            build(Code::FailedPrecondition, &message, details)
        }
        Error::Storage { failure, detail } => storage(failure, &detail),
    }
}

/// Creates the status for a damaged file, with what is known of the damage.
fn damaged(reason: ErrorReason, (key, value): (&'static str, &str), message: &str) -> Status {
    build(Code::DataLoss, message, info(reason, [(key, value.to_owned())]))
}

/// Creates the status for a full tier: how many bytes fit, and either the meditation to wait for or a sufficient quota.
fn full_tier(tier: Tier, numbers: (Option<u64>, u64, u64), relief: Relief, message: &str) -> Status {
    let (used, limit, _) = numbers;
    let fits = used.map(|used| ("fits", limit.saturating_sub(used).to_string()));
    let (helps, waits) = match relief {
        Relief::Meditation(id) => (id.map(|id| ("meditation_id", id.to_string())), true),
        Relief::Quota(bytes) => (bytes.map(|bytes| ("raise_to", bytes.to_string())), false),
    };
    let mut details = quota(&tier.to_string(), numbers, fits.into_iter().chain(helps), message);
    if waits {
        details.set_retry_info(Some(ROOM_AFTER));
    }
    full(message, details)
}

/// Creates the status for too much protected data in a tier, with a sufficient quota.
fn protected(tier: Tier, numbers: (Option<u64>, u64, u64), raise_to: Option<u64>, message: &str) -> Status {
    let raise = raise_to.map(|bytes| ("raise_to", bytes.to_string()));
    let more = std::iter::once(("of", "protected".to_owned())).chain(raise);
    full(message, quota(&tier.to_string(), numbers, more, message))
}

fn full(message: &str, details: ErrorDetails) -> Status {
    build(Code::ResourceExhausted, message, details)
}

/// Creates the status for an unknown page token or cursor.
fn unknown_position(message: &str, field: &str) -> Status {
    let violation = FieldViolation::new(field, "is not valid for this call; start again without it");
    let mut details = info(ErrorReason::InvalidPageToken, []);
    details.set_bad_request(vec![wire_violation(&violation)]);
    build(Code::InvalidArgument, message, details)
}

/// Creates the status for a web page that may not call.
pub fn foreign_origin(why: &str) -> Status {
    build(Code::PermissionDenied, why, info(ErrorReason::ForeignOrigin, []))
}

/// Creates the status for a connection that is closed because of its age. The caller continues on another one.
pub fn reconnect() -> Status {
    unavailable(
        "this connection reached its maximum age and will be closed; retry on a new connection",
        ErrorReason::ShuttingDown,
    )
}

/// Creates the status for a deadline that passed before there was a response.
pub fn deadline_exceeded(after: Duration) -> Status {
    let message =
        format!("no answer within {after:?}; a write may still have happened, so repeat it with its request_id");
    build(Code::DeadlineExceeded, &message, info(ErrorReason::DeadlineExceeded, []))
}

/// Creates the status for a stopping server.
pub fn shutting_down() -> Status {
    unavailable("the server is stopping; retry", ErrorReason::ShuttingDown)
}

/// Creates the status for a defect of the server. The log has the details.
pub fn internal() -> Status {
    build(Code::Internal, "internal error; the server's log has the details", info(ErrorReason::Internal, []))
}

fn storage(failure: StorageFailure, detail: &str) -> Status {
    match failure {
        StorageFailure::Unavailable => {
            tracing::warn!(detail, "storage is unavailable");
            unavailable("storage is busy or does not answer; retry", ErrorReason::StorageUnavailable)
        }
        StorageFailure::Full => {
            tracing::error!(detail, "the disk is full");
            let message = "the server's disk is full; nothing was written";
            build(Code::ResourceExhausted, message, info(ErrorReason::StorageFull, []))
        }
        StorageFailure::Disk => {
            tracing::error!(detail, "the disk failed");
            disk("the server's disk failed (an I/O error) and nothing was changed; tell its operator", "unchanged")
        }
        StorageFailure::InDoubt => {
            tracing::error!(detail, "the disk failed while a change was committed");
            let message = "the server's disk failed (an I/O error) during the commit; the change may or may not be stored: read \
                           it again to see, and tell the operator";
            disk(message, "unknown")
        }
        StorageFailure::Corrupt => {
            tracing::error!(detail, "a vault is damaged");
            let message = "the vault is damaged or from a newer version; `kimberly doctor` shows details";
            build(Code::DataLoss, message, info(ErrorReason::StorageCorrupt, []))
        }
        StorageFailure::Defect => {
            tracing::error!(detail, "storage failed");
            internal()
        }
    }
}

/// Creates the status for an I/O error, with the outcome of the requested change.
fn disk(message: &str, outcome: &str) -> Status {
    let outcome = ("outcome", outcome.to_owned());
    build(Code::Unavailable, message, info(ErrorReason::StorageIoError, [outcome]))
}

/// Creates the status for a failure after which a retry may help.
fn unavailable(message: &str, reason: ErrorReason) -> Status {
    let mut details = info(reason, []);
    details.set_retry_info(Some(RETRY_AFTER));
    build(Code::Unavailable, message, details)
}

fn build(code: Code, message: &str, details: ErrorDetails) -> Status {
    Status::with_error_details(code, details::shortened(message, MAX_MESSAGE_BYTES), details)
}

#[cfg(test)]
mod tests;
