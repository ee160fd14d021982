//! Facts of named records, core memory and the memory tool in the OpenAPI document.

use kimberly_core::bounds as b;
use kimberly_transcode::openapi::Facts;
use serde_json::json;

use super::keywords::{any_text, known, required, some_text, text};
use super::patterns;

/// Requests about named records.
const NAMED: [&str; 15] = [
    "ListVersionsRequest",
    "GetVersionRequest",
    "DiffVersionsRequest",
    "UndoEditRequest",
    "RedactVersionRequest",
    "GetNamedRecordRequest",
    "ListNamesRequest",
    "RenameRecordRequest",
    "EditRecordRequest",
    "AddBlockRequest",
    "UpdateBlockRequest",
    "RemoveBlockRequest",
    "ListBlocksRequest",
    "RenderCoreMemoryRequest",
    "RunMemoryToolRequest",
];

/// Returns the facts of a field of these messages.
pub(super) fn of(message: &str, field: &str) -> Option<Facts> {
    Some(match (message, field) {
        ("ListNamesRequest", "limit") => known(json!({"minimum": 0, "maximum": b::MAX_PAGE_SIZE})),
        ("RenameRecordRequest", "new_name") => required(some_text(b::MAX_NAME_BYTES, &patterns::path())),
        (message, "name") if NAMED.contains(&message) => required(some_text(b::MAX_NAME_BYTES, &patterns::path())),
        ("GetVersionRequest" | "RedactVersionRequest", "version") | ("DiffVersionsRequest", "from_version") => {
            required(json!({"minimum": 1}))
        }
        ("DiffVersionsRequest" | "UndoEditRequest", "to_version") => known(json!({"minimum": 0})),
        ("EditRecordRequest", "reason") => known(text(b::MAX_REASON_BYTES, &patterns::printable())),
        (message, "namespace") if NAMED.contains(&message) => {
            known(text(b::MAX_NAMESPACE_BYTES, &patterns::label_or_nothing()))
        }
        ("AddBlockRequest" | "UpdateBlockRequest" | "RemoveBlockRequest", "label") => required(json!({
            "minLength": 1, "maxLength": b::MAX_BLOCK_LABEL_BYTES, "pattern": "^[a-z0-9_-]+$",
        })),
        ("AddBlockRequest" | "UpdateBlockRequest", "content") => known(any_text(b::MAX_BLOCK_BYTES)),
        ("AddBlockRequest" | "UpdateBlockRequest", "description") => {
            known(text(b::MAX_BLOCK_DESCRIPTION_BYTES, &patterns::name()))
        }
        ("EditRecordRequest", "edit") => required(json!({})),
        ("EditRecordRequest", "append" | "whole") | ("ReplaceEdit", "new") | ("InsertEdit", "text") => known(json!({})),
        ("ReplaceEdit", "old") => required(json!({"minLength": 1})),
        ("EditRecordRequest", "content_sha256") => known(json!({"pattern": "^([0-9a-f]{64})?$"})),
        ("ListNamesRequest", "prefix" | "after") => known(text(b::MAX_NAME_BYTES, &patterns::printable())),
        _ => return None,
    })
}
