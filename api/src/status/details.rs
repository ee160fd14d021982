//! The google.rpc details of errors, within the bounds of headers.

use std::collections::HashMap;

use kimberly_core::FieldViolation;
use kimberly_core::error::Entity;
use kimberly_proto::v1::ErrorReason;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation as WireViolation, QuotaViolation};

use super::{DOMAIN, build};

/// Maximum bytes of listed violations. Details travel in a header, and some clients accept only 8 KiB of headers.
const MAX_VIOLATION_BYTES: usize = 3_000;
/// Maximum length of a field's path, in bytes. Keys of attributes could make it longer.
const MAX_FIELD_BYTES: usize = 120;
/// Maximum length of a description, in bytes. It may quote what was sent.
const MAX_DESCRIPTION_BYTES: usize = 320;

pub(super) fn invalid(message: &str, violations: &[FieldViolation]) -> Status {
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

pub(super) fn wire_violation(violation: &FieldViolation) -> WireViolation {
    WireViolation {
        field: shortened(&violation.field, MAX_FIELD_BYTES),
        description: shortened(&violation.problem, MAX_DESCRIPTION_BYTES),
        ..WireViolation::default()
    }
}

pub(super) fn quota(
    tier: &str,
    (used, limit, requested): (Option<u64>, u64, u64),
    more: impl IntoIterator<Item = (&'static str, String)>,
    description: &str,
) -> ErrorDetails {
    let known = [("limit", limit.to_string()), ("requested", requested.to_string()), ("tier", tier.to_owned())];
    let known = known.into_iter().chain(used.map(|used| ("used", used.to_string()))).chain(more);
    let numbers: HashMap<String, String> = known.map(|(k, v)| (k.to_owned(), v)).collect();
    let violation = QuotaViolation {
        subject: format!("tier:{tier}"),
        description: description.to_owned(),
        api_service: DOMAIN.to_owned(),
        quota_metric: "bytes".to_owned(),
        quota_id: "hard_limit".to_owned(),
        quota_dimensions: numbers.clone(),
        quota_value: i64::try_from(limit).unwrap_or(i64::MAX),
        ..QuotaViolation::default()
    };
    let mut details = info_with(ErrorReason::QuotaExceeded, numbers);
    details.set_quota_failure(vec![violation]);
    details
}

pub(super) const fn missing(entity: Entity) -> ErrorReason {
    match entity {
        Entity::Memory => ErrorReason::MemoryNotFound,
        Entity::Meditation => ErrorReason::MeditationNotFound,
        Entity::Goal => ErrorReason::GoalNotFound,
        Entity::Credential => ErrorReason::CredentialNotFound,
        Entity::Consent => ErrorReason::ConsentNotFound,
        Entity::Purge => ErrorReason::PurgeNotFound,
        Entity::Attachment => ErrorReason::AttachmentNotFound,
        Entity::Entity => ErrorReason::EntityNotFound,
    }
}

pub(super) fn info<const N: usize>(reason: ErrorReason, metadata: [(&str, String); N]) -> ErrorDetails {
    info_with(reason, metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn info_with(reason: ErrorReason, metadata: HashMap<String, String>) -> ErrorDetails {
    let name = reason.as_str_name();
    ErrorDetails::with_error_info(name.strip_prefix("ERROR_REASON_").unwrap_or(name), DOMAIN, metadata)
}

/// Returns the start of a text, cut at a character boundary.
pub(super) fn shortened(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}...", &text[..end])
}
