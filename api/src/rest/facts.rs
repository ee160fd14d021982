//! The statements of the OpenAPI document about requests beyond the structure of messages: which fields are required, and
//! bounds. The bounds come from `kimberly_core::bounds`, so they are the effective ones.
//!
//! The protos contain no options for bounds. Thus the document can state this server's configuration, and the compilers
//! of stubs need no unknown options.

use kimberly_core::bounds as b;
use kimberly_core::memory::{Bound, DraftLimits, MemoryDraft, MemoryState, Scope, Source, Tier};
use kimberly_core::time::Span;
use kimberly_transcode::openapi::{Facts, span_pattern};
use serde_json::json;

use super::keywords::{any_text, at_most, known, labels, names, required, some_text, text};
use super::{named, patterns, records, requests, working};

/// Returns the facts of a field or a message of the contract, by its full name.
pub(super) fn of(name: &str, limits: DraftLimits) -> Facts {
    let Some((message, field)) =
        name.strip_prefix("kimberly.v1.").map(|name| name.split_once('.').unwrap_or((name, "")))
    else {
        return Facts::default();
    };
    let found = match message {
        "MemoryDraft" | "Metadata" | "Feedback" => remembered(message, field, limits),
        "MemoryFilter" => filter(field),
        "Goal" => goal(field),
        "Consent" | "ConsentScope" => consent(message, field),
        "UserSettings" | "Weights" => settings(message, field),
        "CreateKeyRequest" | "RevokeKeyRequest" | "RotateKeyRequest" | "ListKeysRequest" | "Grant" => {
            keys(message, field)
        }
        _ => None,
    };
    found
        .or_else(|| attachments(message, field))
        .or_else(|| records::of(message, field))
        .or_else(|| named::of(message, field))
        .or_else(|| working::of(message, field))
        .or_else(|| requests::of(message, field))
        .or_else(|| named(message, field))
        .unwrap_or_default()
}

fn remembered(message: &str, field: &str, limits: DraftLimits) -> Option<Facts> {
    let bound = match (message, field) {
        ("Feedback", "rating") => return Some(known(json!({"minimum": 1, "maximum": 5}))),
        ("Feedback", "kind") => return Some(required(json!({}))),
        ("Metadata", field) => MemoryDraft::bound(&format!("metadata.{field}")),
        (_, field) => MemoryDraft::bound(field),
    };
    Some(match bound {
        Bound::Free => return None,
        // Only a named record may be empty, which the pattern of this field cannot express.
        Bound::Content => known(any_text(limits.max_content_bytes)),
        Bound::Path(most) => known(text(most, &patterns::path_or_nothing())),
        Bound::Name(most) => known(text(most, &patterns::name())),
        Bound::Printable(most) => known(text(most, &patterns::printable())),
        Bound::Labels(most, longest) => labels(most, longest, &patterns::label()),
        Bound::ConsentId => known(json!({"pattern": patterns::id_or_nothing("con_")})),
    })
}

fn filter(field: &str) -> Option<Facts> {
    Some(match field {
        "tiers" => at_most(Tier::ALL.len()),
        "sources" => at_most(Source::ALL.len()),
        "scopes" => at_most(Scope::ALL.len()),
        "states" => at_most(MemoryState::ALL.len()),
        "tags_any" | "tags_all" => labels(b::MAX_TAGS, b::MAX_TAG_BYTES, &patterns::printable()),
        "namespaces" => names(b::MAX_FILTER_NAMESPACES, &patterns::printable()),
        "speakers" => labels(b::MAX_FILTER_SPEAKERS, b::MAX_SPEAKER_BYTES, &patterns::printable()),
        "session_id" => known(text(b::MAX_SESSION_ID_BYTES, &patterns::printable())),
        _ => return None,
    })
}

fn goal(field: &str) -> Option<Facts> {
    Some(match field {
        "title" => required(some_text(b::MAX_GOAL_TITLE_BYTES, &patterns::label())),
        "description" => known(any_text(b::MAX_GOAL_DESCRIPTION_BYTES)),
        "tags" => labels(b::MAX_TAGS, b::MAX_TAG_BYTES, &patterns::label()),
        "importance" => known(json!({"minimum": 0, "maximum": 1})),
        _ => return None,
    })
}

fn keys(message: &str, field: &str) -> Option<Facts> {
    let seconds = |span: Span| span.0 / Span::seconds(1).0;
    Some(match (message, field) {
        (_, "name") => {
            required(json!({"minLength": 1, "maxLength": b::MAX_CREDENTIAL_NAME_BYTES, "pattern": "^[a-z0-9._-]+$"}))
        }
        ("CreateKeyRequest", "grant") => required(json!({})),
        ("CreateKeyRequest", "certificate") => {
            known(json!({"maxLength": b::MAX_CERTIFICATE_NAME_BYTES, "pattern": patterns::certificate_or_nothing()}))
        }
        ("CreateKeyRequest", "lifetime") => {
            let (least, most) = (*b::KEY_LIFETIME.start(), *b::KEY_LIFETIME.end());
            known(json!({"pattern": span_pattern(seconds(least), seconds(most))}))
        }
        ("RotateKeyRequest", "overlap") => known(json!({"pattern": span_pattern(0, seconds(b::MAX_KEY_OVERLAP))})),
        ("ListKeysRequest", "page_token") => {
            known(json!({"pattern": "^[a-z0-9._-]*$", "maxLength": b::MAX_CREDENTIAL_NAME_BYTES}))
        }
        ("Grant", "users") => required(json!({
            "minItems": 1, "maxItems": b::MAX_USER_PATTERNS,
            "items": {"minLength": 1, "maxLength": b::MAX_USER_ID_BYTES, "pattern": patterns::user_pattern()},
        })),
        ("Grant", "operations") => required(json!({"minItems": 1})),
        ("Grant", "namespaces") => names(b::MAX_GRANT_NAMESPACES, &patterns::label_or_nothing()),
        _ => return None,
    })
}

fn attachments(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("DownloadAttachmentRequest", "offset") => known(json!({"minimum": 0})),
        ("ListAttachmentsRequest", "memory_id") => known(json!({"pattern": patterns::id_or_nothing("mem_")})),
        ("AttachToMemoryRequest" | "DetachFromMemoryRequest", "memory_id") => {
            required(json!({"pattern": patterns::id("mem_")}))
        }
        (
            "GetAttachmentRequest" | "DownloadAttachmentRequest" | "AttachToMemoryRequest" | "DetachFromMemoryRequest",
            "id",
        ) => required(json!({"pattern": patterns::id("att_")})),
        _ => return None,
    })
}

fn consent(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("Consent", "purpose") => required(some_text(b::MAX_PURPOSE_BYTES, &patterns::label())),
        ("Consent", "note") => known(any_text(b::MAX_CONSENT_NOTE_BYTES)),
        ("Consent", "wording_sha256") => known(json!({"pattern": "^([0-9a-f]{64})?$"})),
        ("ConsentScope", "tiers") => at_most(Tier::ALL.len()),
        ("ConsentScope", "namespaces") => names(b::MAX_CONSENT_SCOPE, &patterns::printable()),
        ("ConsentScope", "tags") => labels(b::MAX_CONSENT_SCOPE, b::MAX_TAG_BYTES, &patterns::label()),
        ("ConsentScope", "session_ids") => labels(b::MAX_CONSENT_SCOPE, b::MAX_SESSION_ID_BYTES, &patterns::label()),
        _ => return None,
    })
}

fn settings(message: &str, field: &str) -> Option<Facts> {
    let bytes =
        |range: &std::ops::RangeInclusive<u64>| known(json!({"minimum": range.start(), "maximum": range.end()}));
    let span = |range: &std::ops::RangeInclusive<Span>| {
        let seconds = |span: &Span| span.0 / Span::seconds(1).0;
        known(json!({"pattern": span_pattern(seconds(range.start()), seconds(range.end()))}))
    };
    Some(match (message, field) {
        ("Weights", "") => {
            let above = |name: &str| json!({"required": [name], "properties": {name: {"type": "number", "exclusiveMinimum": 0}}});
            let names = ["relevanceToGoals", "emotionalWeight", "predictiveValue", "recencyFreq"];
            known(json!({"anyOf": names.map(above)}))
        }
        ("UserSettings", "preset") => required(json!({})),
        ("Weights", _) | ("UserSettings", "low_score") => known(json!({"minimum": 0, "maximum": 1})),
        (_, "short_term_quota_bytes" | "long_term_quota_bytes" | "permanent_quota_bytes") => bytes(&b::QUOTA_BYTES),
        (_, "archive_allowance_bytes") => bytes(&b::ARCHIVE_BYTES),
        (_, "core_memory_bytes") => bytes(&b::CORE_BYTES),
        (_, "daily_prune_cap_bytes") => bytes(&(0..=b::MAX_PRUNE_CAP_BYTES)),
        (_, "vector_cap") => bytes(&b::VECTOR_CAP),
        (_, "daily_embedding_limit" | "weekly_embedding_limit") => bytes(&b::EMBEDDING_LIMIT),
        (_, "grace") => span(&b::GRACE),
        (_, "meditation_interval") => span(&b::MEDITATION_INTERVAL),
        (_, "short_term_lifetime") => span(&b::SHORT_TERM_LIFETIME),
        _ => return None,
    })
}

/// Returns the facts of fields that identify records.
fn named(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("ForgetMemoriesRequest", "ids") => required(json!({
            "minItems": 1, "maxItems": b::MAX_FORGOTTEN_AT_ONCE, "uniqueItems": true,
            "items": {"pattern": patterns::id("mem_")},
        })),
        ("GetPurgeRequest", "id") => required(json!({"pattern": patterns::id("purge_")})),
        ("GetConsentRequest" | "RetractConsentRequest", "id") => required(json!({"pattern": patterns::id("con_")})),
        ("GrantConsentRequest", "consent") => required(json!({})),
        ("GrantConsentRequest", "release_withheld") => {
            known(json!({"maxItems": b::MAX_CONSENT_BATCH, "items": {"pattern": patterns::id("con_")}}))
        }
        ("ImportConsentsRequest", "consents") => required(json!({"minItems": 1, "maxItems": b::MAX_CONSENT_BATCH})),
        ("ImportGoalsRequest", "goals") => required(json!({"minItems": 1, "maxItems": b::MAX_GOAL_BATCH})),
        ("GetMeditationRequest" | "WatchMeditationRequest", "id") => required(json!({"pattern": patterns::id("med_")})),
        ("GetGoalRequest" | "DeleteGoalRequest", "id") | ("UpdateGoalRequest", "goal.id") => {
            required(json!({"pattern": patterns::id("goal_")}))
        }
        ("GetMemoryRequest" | "UpdateMemoryRequest" | "DeleteMemoryRequest" | "RestoreMemoryRequest", "id") => {
            required(json!({"pattern": patterns::id("mem_")}))
        }
        _ => return None,
    })
}
