//! Converts goals in both directions.

use kimberly_core::goals::{Goal, GoalDraft};
use kimberly_core::{GoalId, Result, Timestamp};
use kimberly_proto::v1;

use super::enums::{self, WireEnum as _};
use super::problems::Problems;
use super::time;

/// Converts the fields of a goal that callers write. Ignores the fields that Kimberly sets.
pub fn draft(raw: v1::Goal) -> Result<GoalDraft> {
    draft_at("goal", raw)
}

fn draft_at(path: &str, raw: v1::Goal) -> Result<GoalDraft> {
    let mut problems = Problems::default();
    let draft = GoalDraft {
        kind: problems.take(&format!("{path}.kind"), enums::optional(raw.kind)).unwrap_or_default(),
        title: raw.title,
        description: raw.description,
        tags: raw.tags,
        importance: raw.importance,
        status: problems.take(&format!("{path}.status"), enums::optional(raw.status)).unwrap_or_default(),
    };
    problems.finish(draft)
}

/// Converts an exported goal. The domain checks the bounds.
pub fn record(path: &str, raw: v1::Goal) -> Result<Goal> {
    let mut problems = Problems::default();
    let at = |field: &str| format!("{path}.{field}");
    let mut set_time = |field: &str, raw: Option<prost_types::Timestamp>| {
        if raw.is_none() {
            problems.add(at(field), "is required");
        }
        problems.take(&at(field), time::optional_timestamp(raw)).unwrap_or(Timestamp(0))
    };
    let (created_at, updated_at) = (set_time("created_at", raw.created_at), set_time("updated_at", raw.updated_at));
    let id = problems.absorb(GoalId::parse(&at("id"), &raw.id)).unwrap_or(GoalId(uuid::Uuid::nil()));
    let revision = problems.take(&at("etag"), super::record::revision(&raw.etag));
    let draft = problems.absorb(draft_at(path, raw)).unwrap_or_default();
    problems.finish(Goal { id, draft, created_at, updated_at, revision })
}

/// Converts a goal to the contract.
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

#[cfg(test)]
mod tests {
    use kimberly_core::Error;
    use kimberly_core::goals::{GoalKind, GoalStatus};

    use super::*;

    #[test]
    fn a_goal_goes_out_and_comes_back_as_it_was() {
        let every = Goal {
            id: GoalId(uuid::Uuid::from_u128(7)),
            draft: GoalDraft {
                kind: GoalKind::Task,
                title: "sail".to_owned(),
                description: "to the Azores".to_owned(),
                tags: vec!["sea".to_owned()],
                importance: 0.25,
                status: GoalStatus::Done,
            },
            created_at: Timestamp(1),
            updated_at: Timestamp(3),
            revision: 4,
        };
        assert_eq!(record("goals[0]", goal(every.clone())).unwrap(), every);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let raw = v1::Goal { kind: 9, status: 9, ..Default::default() };
        let Err(Error::Invalid(found)) = record("goals[0]", raw) else { panic!("accepted") };
        let fields: Vec<&str> = found.iter().map(|violation| violation.field.as_str()).collect();
        let expected = ["created_at", "updated_at", "id", "etag", "kind", "status"];
        assert_eq!(fields, expected.map(|field| format!("goals[0].{field}")));
    }
}
