//! What was refused before a handler saw it.

use kimberly_core::Error;
use kimberly_proto::v1::ErrorReason;
use kimberly_transcode::Refusal;
use tonic::{Code, Status};

use super::details::info;
use super::{build, internal, status};

/// What the transport refused before a handler saw it, said as this service says it: a request that cannot be decoded
/// is its caller's fault, although the transport calls it INTERNAL, and one that is too large stays so when repeated.
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
    // Such as the encodings that the server takes.
    *said.metadata_mut() = refused.metadata().clone();
    Some(said)
}

/// The contract knows no such rpc.
pub fn no_such_rpc() -> Status {
    let message = "there is no such rpc; reflection lists all";
    build(Code::Unimplemented, message, info(ErrorReason::NoSuchMethod, []))
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
