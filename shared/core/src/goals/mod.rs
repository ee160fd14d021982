//! The user's goals; relevance of memories is measured against them (K-3.2).

mod draft;
mod record;

use serde::{Deserialize, Serialize};

use crate::ids::GoalId;
use crate::memory::names;
use crate::time::{Span, Timestamp};

/// How long an agent's task stays relevant after its last change.
pub const TASK_LIFETIME: Span = Span::days(14);

/// The kind of a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalKind {
    /// Something to achieve.
    #[default]
    Goal,
    /// A project, identified by its tags.
    Project,
    /// A task of an agent for the user.
    Task,
}
names!(GoalKind { Goal => "goal", Project => "project", Task => "task" });

/// The status of a goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStatus {
    /// The goal counts for relevance.
    #[default]
    Active,
    /// The goal no longer counts.
    Done,
}
names!(GoalStatus { Active => "active", Done => "done" });

/// The part of a goal that a caller writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalDraft {
    /// Kind of the goal.
    pub kind: GoalKind,
    /// A short title.
    pub title: String,
    /// A longer description.
    pub description: String,
    /// Tags; memories with the same tags are relevant.
    pub tags: Vec<String>,
    /// Importance, in (0, 1].
    pub importance: f64,
    /// Status of the goal.
    pub status: GoalStatus,
}

/// A goal as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// Id of the goal.
    pub id: GoalId,
    /// The caller's draft, normalized.
    pub draft: GoalDraft,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Number of writes, from 1; the etag.
    pub revision: u64,
}

impl Goal {
    /// Reports whether it counts in a score computed at `now`.
    pub fn counts_at(&self, now: Timestamp) -> bool {
        self.draft.status == GoalStatus::Active
            && (self.draft.kind != GoalKind::Task || now < self.updated_at.plus(TASK_LIFETIME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_stops_counting_two_weeks_after_its_last_change_and_a_goal_does_not() {
        let at = Timestamp(1_763_640_000_000_000);
        let goal = |kind, status| Goal {
            id: GoalId(uuid::Uuid::nil()),
            draft: GoalDraft { kind, status, ..GoalDraft::default() },
            created_at: Timestamp(0),
            updated_at: at,
            revision: 1,
        };
        let task = goal(GoalKind::Task, GoalStatus::Active);
        assert!(task.counts_at(Timestamp(at.plus(TASK_LIFETIME).0 - 1)));
        assert!(!task.counts_at(at.plus(TASK_LIFETIME)));
        assert!(goal(GoalKind::Project, GoalStatus::Active).counts_at(at.plus(Span::days(999))));
        assert!(!goal(GoalKind::Goal, GoalStatus::Done).counts_at(at));
    }
}
