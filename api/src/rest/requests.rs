//! Facts of fields of requests, apart from those of records: see `facts`.

use kimberly_core::bounds as b;
use kimberly_core::meditation::steps::{Step, pipeline};
use kimberly_core::memory::MemoryPatch;
use kimberly_core::recall::stages::{Stage, Switch};
use kimberly_core::usecases::goals::GoalField;
use kimberly_core::usecases::settings::SettingsField;
use kimberly_transcode::openapi::Facts;
use serde_json::json;

use super::keywords::{known, required, some_text, text};
use super::patterns;

/// Returns the facts of a field of a request.
pub(super) fn of(message: &str, field: &str) -> Option<Facts> {
    let patch = || Facts { required: true, partial: true, ..Facts::default() };
    Some(match (message, field) {
        // These must name a user, whatever the credential implies.
        ("PurgeUserRequest" | "RetractConsentRequest" | "RunForgettingRequest", "user_id") => {
            required(some_text(b::MAX_USER_ID_BYTES, &patterns::user_id()))
        }
        (_, "user_id") => known(text(b::MAX_USER_ID_BYTES, &patterns::user_id_or_nothing())),
        ("PurgeUserRequest", "confirm_user_id") => required(some_text(b::MAX_USER_ID_BYTES, &patterns::user_id())),
        (_, "request_id") => known(text(b::MAX_REQUEST_ID_BYTES, &patterns::printable())),
        (_, "page_size") => known(json!({"minimum": 0, "maximum": b::MAX_PAGE_SIZE})),
        (_, "page_token" | "plan_token" | "cursor") => known(json!({"pattern": patterns::token()})),
        ("UpdateMemoryRequest", "memory") | ("UpdateGoalRequest", "goal") => patch(),
        ("UpdateSettingsRequest", "user_settings") => Facts { required: false, ..patch() },
        ("UpdateMemoryRequest", "update_mask") => mask(MemoryPatch::known()),
        ("UpdateGoalRequest", "update_mask") => mask(GoalField::ALL.iter().map(|field| field.name())),
        ("UpdateSettingsRequest", "update_mask") => {
            mask(SettingsField::ALL.iter().map(|field| field.name()).chain(["preset", "weights"]))
        }
        ("CreateMemoryRequest", "memory") | ("CreateGoalRequest", "goal") | ("RecordOutcomeRequest", "outcome") => {
            required(json!({}))
        }
        ("BatchCreateMemoriesRequest", "memories") => required(json!({"minItems": 1, "maxItems": b::MAX_BATCH})),
        ("QueryMemoriesRequest", "query") => required(json!({"minLength": 1, "maxLength": b::MAX_QUERY_BYTES})),
        ("QueryMemoriesRequest" | "RecordOutcomeRequest", "top_k") => {
            known(json!({"minimum": 0, "maximum": b::MAX_TOP_K}))
        }
        ("QueryMemoriesRequest", "min_score") => known(json!({"minimum": 0, "maximum": 1})),
        ("QueryMemoriesRequest", "stages") => known(json!({"propertyNames": {"enum": switched_stages()}})),
        ("QueryMemoriesRequest", "max_content_bytes") => {
            known(json!({"minimum": 0, "maximum": b::ABSOLUTE_MAX_CONTENT_BYTES}))
        }
        ("QueryMemoriesRequest", "active_session_id") => known(json!({"maxLength": b::MAX_SESSION_ID_BYTES})),
        ("UploadEmbeddingsRequest", "model") => required(json!({"minLength": 1, "maxLength": b::MAX_MODEL_BYTES})),
        ("UploadEmbeddingsRequest", "items") => required(json!({"minItems": 1, "maxItems": b::MAX_UPLOAD_ITEMS})),
        ("EmbeddingItem", "id") => required(json!({"pattern": patterns::any_id(&["mem_", "goal_"])})),
        ("EmbeddingItem", "fingerprint") => required(json!({"pattern": "^[0-9a-f]{16}$"})),
        ("EmbeddingItem", "vectors") => required(json!({"minItems": 1, "maxItems": b::MAX_UPLOAD_VECTORS})),
        // Allows components of a vector whose length is 1 within the tolerance.
        ("Vector", "values") => required(json!({"minItems": 1, "items": {"minimum": -1.01, "maximum": 1.01}})),
        ("ListAuditEntriesRequest", "actor" | "action" | "subject") => {
            known(json!({"maxLength": b::MAX_AUDIT_NAME_BYTES}))
        }
        ("ExportAuditRequest", "after") | ("AuditHead", "number") => known(json!({"minimum": 0})),
        ("AuditHead", "hash") => required(json!({"pattern": "^[0-9a-f]{64}$"})),
        ("RecordOutcomeRequest", "memory_ids") => {
            let ids = json!({"pattern": patterns::id("mem_")});
            required(json!({"minItems": 1, "maxItems": b::MAX_OUTCOME_IDS, "items": ids}))
        }
        ("MeditateRequest", "steps") => {
            let names = pipeline().map(Step::name);
            known(json!({"maxItems": b::MAX_MEDITATE_STEPS, "items": {"enum": names}}))
        }
        ("MeditateRequest", "ids") => {
            known(json!({"maxItems": b::MAX_MEDITATE_IDS, "items": {"pattern": patterns::id("mem_")}}))
        }
        ("EndSessionRequest", "session_id") => required(some_text(b::MAX_SESSION_ID_BYTES, &patterns::label())),
        _ => return None,
    })
}

fn switched_stages() -> Vec<&'static str> {
    Stage::ALL.iter().filter(|stage| stage.switch() != Switch::Always).map(|stage| stage.name()).collect()
}

fn mask<'a>(paths: impl Iterator<Item = &'a str>) -> Facts {
    required(json!({"pattern": patterns::mask(paths)}))
}
