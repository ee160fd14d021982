//! Changes of memories as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, memory, time};
use crate::names;

/// A change, with the cursor behind it.
pub(crate) fn change(change: &v1::MemoryChange, cursor: &str) -> Value {
    compact(json!({
        "kind": names::change_kind(change.kind),
        "memory_id": change.memory_id,
        "changed_at": time(change.changed_at.as_ref()),
        "reason": names::reason(change.reason),
        "etag": change.etag,
        "memory": change.memory.as_ref().map(memory),
        "cursor": cursor,
    }))
}
