//! Facts of common forms, and the JSON Schema keywords that express them.

use kimberly_core::bounds as b;
use kimberly_transcode::openapi::Facts;
use serde_json::{Map, Value, json};

pub(super) fn known(keywords: Value) -> Facts {
    let keywords = if let Value::Object(keywords) = keywords { keywords } else { Map::new() };
    Facts { keywords, ..Facts::default() }
}

pub(super) fn required(keywords: Value) -> Facts {
    Facts { required: true, ..known(keywords) }
}

pub(super) fn text(most: usize, pattern: &str) -> Value {
    json!({"maxLength": most, "pattern": pattern})
}

/// Any text, for which only the length matters.
pub(super) fn any_text(most: usize) -> Value {
    json!({"maxLength": most})
}

pub(super) fn some_text(most: usize, pattern: &str) -> Value {
    json!({"minLength": 1, "maxLength": most, "pattern": pattern})
}

pub(super) fn at_most(values: usize) -> Facts {
    known(json!({"maxItems": values}))
}

pub(super) fn labels(most: usize, longest: usize, pattern: &str) -> Facts {
    known(json!({"maxItems": most, "items": some_text(longest, pattern)}))
}

/// Facts of a list of namespaces, of which one may be empty.
pub(super) fn names(most: usize, pattern: &str) -> Facts {
    known(json!({"maxItems": most, "items": text(b::MAX_NAMESPACE_BYTES, pattern)}))
}
