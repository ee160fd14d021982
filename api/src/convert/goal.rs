//! Goals, both ways.

use kimberly_core::Result;
use kimberly_core::goals::{Goal, GoalDraft};
use kimberly_proto::v1;

use super::enums::{self, WireEnum as _};
use super::problems::Problems;
use super::time;

/// The part of a goal that a caller writes; the fields that Kimberly sets are passed over.
pub fn draft(raw: v1::Goal) -> Result<GoalDraft> {
    let mut problems = Problems::default();
    let draft = GoalDraft {
        kind: problems.take("goal.kind", enums::optional(raw.kind)).unwrap_or_default(),
        title: raw.title,
        description: raw.description,
        tags: raw.tags,
        importance: raw.importance,
        status: problems.take("goal.status", enums::optional(raw.status)).unwrap_or_default(),
    };
    problems.finish(draft)
}

/// A goal for the contract.
pub fn goal(goal: Goal) -> v1::Goal {
    v1::Goal {
        id: goal.id.to_string(),
        kind: goal.draft.kind.number(),
        title: goal.draft.title,
        description: goal.draft.description,
        tags: goal.draft.tags,
        importance: goal.draft.importance,
        status: goal.draft.status.number(),
        created_at: Some(time::wire_timestamp(goal.created_at)),
        updated_at: Some(time::wire_timestamp(goal.updated_at)),
        etag: goal.revision.to_string(),
    }
}
