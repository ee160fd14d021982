//! Tests of statuses: code, reason and details of every error, and that they reveal nothing internal.

use std::collections::HashMap;

use kimberly_core::consent::Uncovered;
use kimberly_core::damage::{Damage, SharedFile};
use kimberly_core::error::Entity;
use kimberly_core::memory::MemoryState;
use kimberly_core::{MeditationId, MemoryId};
use prost::Message as _;

use super::*;

/// Returns the reason and metadata of a status, which must match the table of errors.
fn reason(status: &Status) -> (String, HashMap<String, String>) {
    let details = status.get_error_details();
    let info = details.error_info().expect("every status has an ErrorInfo");
    assert_eq!(info.domain, DOMAIN);
    assert_documented(status.code(), &info.reason, &info.metadata, &details);
    (info.reason.clone(), info.metadata.clone())
}

fn assert_documented(code: Code, reason: &str, metadata: &HashMap<String, String>, details: &ErrorDetails) {
    let name = format!("| `{reason}` |");
    let row = include_str!("../../../docs/errors.md").lines().find(|line| line.starts_with(&name));
    let row = row.unwrap_or_else(|| panic!("docs/errors.md has no row for {reason}"));
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let spelled = format!("{code:?}");
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    assert!(cells[2].split(" or ").any(|code| plain(code) == plain(&spelled)), "{row} is not for {spelled}");
    for key in metadata.keys() {
        assert!(cells[5].contains(&format!("`{key}`")), "{row} does not name the metadata {key}");
    }
    let kinds = [
        ("BadRequest", details.bad_request().is_some()),
        ("QuotaFailure", details.quota_failure().is_some()),
        ("RetryInfo", details.retry_info().is_some()),
    ];
    for (kind, sent) in kinds {
        assert!(!sent || cells[5].contains(kind), "{row} does not name {kind}");
    }
}

#[test]
fn every_error_has_its_code_reason_and_metadata() {
    let id = || "mem_x".to_owned();
    let not_found = |entity| Error::NotFound { entity, id: id() };
    let wrong_state = Error::WrongState { id: id(), state: MemoryState::Deleted, allowed: "restore it" };
    let cases: Vec<(Error, Code, &str, &[&str])> = vec![
        (Error::invalid("f", "is wrong"), Code::InvalidArgument, "INVALID_FIELD", &[]),
        (Error::InvalidPageToken, Code::InvalidArgument, "INVALID_PAGE_TOKEN", &[]),
        (not_found(Entity::Memory), Code::NotFound, "MEMORY_NOT_FOUND", &["id"]),
        (not_found(Entity::Meditation), Code::NotFound, "MEDITATION_NOT_FOUND", &["id"]),
        (not_found(Entity::Goal), Code::NotFound, "GOAL_NOT_FOUND", &["id"]),
        (not_found(Entity::Entity), Code::NotFound, "ENTITY_NOT_FOUND", &["id"]),
        (not_found(Entity::Credential), Code::NotFound, "CREDENTIAL_NOT_FOUND", &["id"]),
        (Error::Unauthenticated, Code::Unauthenticated, "UNAUTHENTICATED", &[]),
        (Error::Denied, Code::PermissionDenied, "PERMISSION_DENIED", &[]),
        (Error::CredentialExists { name: id() }, Code::AlreadyExists, "CREDENTIAL_EXISTS", &["name"]),
        (not_found(Entity::Consent), Code::NotFound, "CONSENT_NOT_FOUND", &["id"]),
        (not_found(Entity::Purge), Code::NotFound, "PURGE_NOT_FOUND", &["id"]),
        (Error::Purging, Code::Unavailable, "PURGE_UNDER_WAY", &[]),
        (Error::SharedFileDamaged(SharedFile::Queue), Code::DataLoss, "STORAGE_CORRUPT", &["file"]),
        (Error::Quarantined { damage: Damage::Pages }, Code::DataLoss, "VAULT_QUARANTINED", &["damage"]),
        (Error::EtagMismatch { current: "7".to_owned() }, Code::Aborted, "ETAG_MISMATCH", &["etag"]),
        (Error::RequestIdReused { request_id: id() }, Code::FailedPrecondition, "REQUEST_ID_REUSED", &["request_id"]),
        (
            Error::ConsentRequired { field: id(), why: Uncovered::Scope, tier: Tier::LongTerm },
            Code::FailedPrecondition,
            "CONSENT_REQUIRED",
            &["field", "tier", "why"],
        ),
        (Error::CertificateExists, Code::AlreadyExists, "CREDENTIAL_EXISTS", &["field"]),
        (Error::conflict("f", "is taken"), Code::FailedPrecondition, "WRONG_STATE", &["field"]),
        (wrong_state, Code::FailedPrecondition, "WRONG_STATE", &["id", "state"]),
        (Error::SigningOff, Code::FailedPrecondition, "SIGNING_OFF", &[]),
        (Error::PlanChanged, Code::FailedPrecondition, "PLAN_CHANGED", &[]),
        (Error::InvalidCursor, Code::InvalidArgument, "INVALID_PAGE_TOKEN", &[]),
        (Error::CursorExpired, Code::OutOfRange, "CURSOR_EXPIRED", &[]),
        (Error::StreamOrder { expected: id() }, Code::InvalidArgument, "STREAM_ORDER", &[]),
        (Error::MemoryExists { id: MemoryId(uuid::Uuid::nil()) }, Code::AlreadyExists, "MEMORY_EXISTS", &["id"]),
        (
            Error::ArchiveFull { used: 1, limit: 2, requested: 3 },
            Code::ResourceExhausted,
            "QUOTA_EXCEEDED",
            &["limit", "requested", "tier", "used"],
        ),
        (
            Error::LimitReached { what: "goals", limit: 3 },
            Code::FailedPrecondition,
            "LIMIT_REACHED",
            &["limit", "what"],
        ),
    ];
    for (error, code, name, keys) in cases {
        let status = status(error);
        let (reason, metadata) = reason(&status);
        let mut found: Vec<_> = metadata.keys().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!((status.code(), reason.as_str(), found.as_slice()), (code, name, keys));
    }
}

#[test]
fn storage_failures_show_what_to_do_and_never_their_detail() {
    let cases = [
        (StorageFailure::Unavailable, Code::Unavailable, "STORAGE_UNAVAILABLE"),
        (StorageFailure::Full, Code::ResourceExhausted, "STORAGE_FULL"),
        (StorageFailure::Disk, Code::Unavailable, "STORAGE_IO_ERROR"),
        (StorageFailure::InDoubt, Code::Unavailable, "STORAGE_IO_ERROR"),
        (StorageFailure::Corrupt, Code::DataLoss, "STORAGE_CORRUPT"),
        (StorageFailure::Defect, Code::Internal, "INTERNAL"),
    ];
    for (failure, code, name) in cases {
        let status = status(Error::storage(failure, "/data/vaults/secret.db"));
        assert_eq!((status.code(), reason(&status).0.as_str()), (code, name));
        assert!(!format!("{status:?}").contains("secret"), "{status:?}");
    }
    let unavailable = status(Error::storage(StorageFailure::Unavailable, ""));
    assert!(unavailable.get_error_details().retry_info().is_some());
}

#[test]
fn quota_failure_names_tier_used_and_limit() {
    let full =
        |relief| Error::QuotaExceeded { tier: Tier::LongTerm, used: Some(90), limit: 100, requested: 20, relief };
    let status = |relief| status(full(relief));
    let run = MeditationId(uuid::Uuid::nil());
    let waits = status(Relief::Meditation(Some(run)));
    assert_eq!(reason(&waits).1["meditation_id"], run.to_string());
    assert!(waits.get_details_retry_info().is_some() && waits.message().contains(&run.to_string()), "{waits:?}");
    let status = status(Relief::Quota(Some(88)));
    assert!(status.get_details_retry_info().is_none() && !status.message().contains("try again"), "{status:?}");
    assert!(status.message().contains("10 fit") && status.message().contains("long_term_quota_bytes to 88"));
    assert_eq!((reason(&status).1["fits"].as_str(), reason(&status).1["raise_to"].as_str()), ("10", "88"));
    assert_eq!(status.code(), Code::ResourceExhausted);
    let details = status.get_error_details();
    let violation = &details.quota_failure().unwrap().violations[0];
    assert_eq!(violation.subject, "tier:long_term");
    for number in ["90", "100", "20"] {
        assert!(violation.description.contains(number), "{}", violation.description);
    }
    let metadata = reason(&status).1;
    assert_eq!(
        (metadata["tier"].as_str(), metadata["used"].as_str(), metadata["limit"].as_str()),
        ("long_term", "90", "100")
    );
}

#[test]
fn details_stay_small_whatever_was_sent() {
    let violation = |n: usize| FieldViolation::new(format!("memories[{n}].{}", "k".repeat(1_000)), "é".repeat(100_000));
    let status = status(Error::Invalid((0..1_000).map(violation).collect()));
    let listed = status.get_error_details().bad_request().unwrap().field_violations.len();
    assert!(listed > 1);
    assert_eq!(reason(&status).1["not_listed"], (1_000 - listed).to_string());
    // In headers, details are base64 and the message is percent-encoded.
    assert!(status.details().len() * 4 / 3 + status.message().len() * 3 < 7 * 1024, "{}", status.details().len());
}

#[test]
fn request_that_the_transport_cannot_decode_is_its_callers_fault() {
    let refused = refused_by_transport(&Status::internal("failed to decode: x: not UTF-8")).unwrap();
    assert_eq!((refused.code(), reason(&refused).0.as_str()), (Code::InvalidArgument, "INVALID_FIELD"));
    assert!(refused.message().contains("not UTF-8"));
    for kept in [internal(), shutting_down(), overloaded(Limit::Bytes), Status::not_found("of health")] {
        assert!(refused_by_transport(&kept).is_none(), "{kept:?}");
    }
}

#[test]
fn what_is_too_large_or_not_there_is_not_worth_a_retry() {
    for large in [Status::out_of_range("17 MiB"), Status::resource_exhausted("17 MiB unpacked")] {
        let refused = refused_by_transport(&large).unwrap();
        assert_eq!((refused.code(), reason(&refused).0.as_str()), (Code::OutOfRange, "REQUEST_TOO_LARGE"));
        assert!(refused.message().contains("17 MiB"), "{refused:?}");
    }
    let mut encoding = Status::unimplemented("compressed with `br`");
    encoding.metadata_mut().insert("grpc-accept-encoding", "gzip".parse().unwrap());
    for (unknown, said) in [(Status::unimplemented(""), "no such rpc"), (encoding, "br")] {
        let refused = refused_by_transport(&unknown).unwrap();
        assert_eq!((refused.code(), reason(&refused).0.as_str()), (Code::Unimplemented, "NO_SUCH_METHOD"));
        assert!(refused.message().contains(said), "{refused:?}");
        assert_eq!(refused.metadata().len(), unknown.metadata().len());
    }
}

#[test]
fn the_server_says_no_with_a_reason() {
    for (limit, name) in
        [(Limit::Server, "server"), (Limit::User, "user"), (Limit::Streams, "streams"), (Limit::Bytes, "bytes")]
    {
        let refused = overloaded(limit);
        let (reason, metadata) = reason(&refused);
        assert_eq!((refused.code(), reason.as_str()), (Code::ResourceExhausted, "OVERLOADED"));
        assert_eq!(metadata["limit"], name);
        assert!(refused.get_error_details().retry_info().is_some());
    }
    let limited = rate_limited("user", Duration::from_millis(1_234));
    assert_eq!((limited.code(), reason(&limited).0.as_str()), (Code::ResourceExhausted, "RATE_LIMITED"));
    let retry = limited.get_error_details().retry_info().and_then(|info| info.retry_delay);
    assert_eq!(retry, Some(Duration::from_millis(1_234)));
    let foreign = foreign_origin("why");
    assert_eq!((foreign.code(), reason(&foreign).0.as_str()), (Code::PermissionDenied, "FOREIGN_ORIGIN"));
    assert_eq!((reconnect().code(), reason(&reconnect()).0.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
    assert_eq!((shutting_down().code(), reason(&shutting_down()).0.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
    let late = deadline_exceeded(Duration::from_secs(1));
    assert_eq!((late.code(), reason(&late).0.as_str()), (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"));
}

#[test]
fn status_of_an_item_has_code_message_and_details() {
    let whole = status(Error::MemoryExists { id: MemoryId(uuid::Uuid::nil()) });
    let message = as_message(&whole);
    assert_eq!((message.code, message.message.as_str()), (Code::AlreadyExists as i32, whole.message()));
    let again = Status::with_details(Code::AlreadyExists, message.message.clone(), message.encode_to_vec().into());
    assert_eq!(reason(&again).0, "MEMORY_EXISTS");
}
