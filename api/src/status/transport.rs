//! Statuses for calls that are refused before a handler sees them.

use kimberly_core::Error;
use kimberly_proto::v1::ErrorReason;
use kimberly_transcode::Refusal;
use tonic::{Code, Status};

use super::details::info;
use super::{build, internal, status};

/// Converts a refusal of the transport to one of this service, or returns `None` if it needs no conversion. A request
/// that cannot be decoded is the caller's fault, although the transport reports INTERNAL. One that is too large is so
/// again if repeated.
pub fn refused_by_transport(refused: &Status) -> Option<Status> {
    let ours = !refused.details().is_empty();
    if ours {
        return None;
    }
    if refused.code() == Code::Unimplemented && refused.message().is_empty() {
        let mut said = no_such_rpc();
        *said.metadata_mut() = refused.metadata().clone();
        return Some(said);
    }
    let (code, reason, message) = match (refused.code(), refused.message()) {
        (Code::Internal, why) => {
            let message = format!("the request is not a message of the contract: {why}");
            (Code::InvalidArgument, ErrorReason::InvalidField, message)
        }
        (Code::OutOfRange | Code::ResourceExhausted, why) => {
            (Code::OutOfRange, ErrorReason::RequestTooLarge, format!("the request is too large: {why}"))
        }
        (Code::Unimplemented, why) => (Code::Unimplemented, ErrorReason::NoSuchMethod, why.to_owned()),
        _ => return None,
    };
    let mut said = build(code, &message, info(reason, []));
    // Such as the encodings that the server accepts.
    *said.metadata_mut() = refused.metadata().clone();
    Some(said)
}

/// Replaces the transport's refusal of a message with ours; returns any other status as it is.
pub fn in_our_words(failed: Status) -> Status {
    refused_by_transport(&failed).unwrap_or(failed)
}

/// Creates the status for an rpc that the contract does not have.
pub fn no_such_rpc() -> Status {
    let message = "there is no such rpc; reflection lists all";
    build(Code::Unimplemented, message, info(ErrorReason::NoSuchMethod, []))
}

/// Converts the refusal of an HTTP request that is not a valid call of an rpc.
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
