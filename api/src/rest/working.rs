//! Facts of working memory in the OpenAPI document.

use kimberly_core::bounds as b;
use kimberly_transcode::openapi::{Facts, span_pattern};
use serde_json::json;

use super::keywords::{any_text, known, required, some_text, text};
use super::patterns;

/// Microseconds in a second.
const SECOND: i64 = 1_000_000;

/// Returns the facts of a field of these messages.
pub(super) fn of(message: &str, field: &str) -> Option<Facts> {
    let lifetime =
        || json!({"pattern": span_pattern(b::MIN_WORKING_LIFETIME.0 / SECOND, b::MAX_WORKING_LIFETIME.0 / SECOND)});
    Some(match (message, field) {
        ("WorkingOperation" | "GetWorkingEntryRequest", "key") => {
            required(some_text(b::MAX_WORKING_KEY_BYTES, &patterns::printable()))
        }
        ("WorkingOperation", "operation") => required(json!({})),
        ("WorkingSet" | "WorkingAppend", "value") => known(any_text(b::MAX_WORKING_ENTRY_BYTES)),
        ("WorkingSet" | "WorkingIncrement" | "WorkingAppend", "lifetime") => known(lifetime()),
        ("WorkingExpire", "lifetime") => required(lifetime()),
        ("RunWorkingOperationsRequest", "operations") => {
            required(json!({"minItems": 1, "maxItems": b::MAX_WORKING_BATCH}))
        }
        (
            "RunWorkingOperationsRequest" | "GetWorkingEntryRequest" | "ListWorkingKeysRequest",
            "namespace" | "session_id",
        ) => {
            let most = if field == "namespace" { b::MAX_NAMESPACE_BYTES } else { b::MAX_SESSION_ID_BYTES };
            known(text(most, &patterns::label_or_nothing()))
        }
        ("ListWorkingKeysRequest", "prefix" | "after") => known(json!({"maxLength": b::MAX_WORKING_KEY_BYTES})),
        ("ListWorkingKeysRequest", "limit") => known(json!({"minimum": 0, "maximum": b::MAX_PAGE_SIZE})),
        _ => return None,
    })
}
