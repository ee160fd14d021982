//! Goals as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, time};
use crate::names;

/// A goal.
pub(crate) fn goal(goal: &v1::Goal) -> Value {
    compact(json!({
        "id": goal.id,
        "kind": names::goal_kind(goal.kind),
        "title": goal.title,
        "description": goal.description,
        "tags": goal.tags,
        "importance": goal.importance,
        "status": names::goal_status(goal.status),
        "created_at": time(goal.created_at.as_ref()),
        "updated_at": time(goal.updated_at.as_ref()),
        "etag": goal.etag,
    }))
}
