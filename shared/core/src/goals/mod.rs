//! What the user is after; relevance is measured against it (K-3.2).

mod draft;
mod record;

use serde::{Deserialize, Serialize};

use crate::ids::GoalId;
use crate::memory::names;
use crate::time::{Span, Timestamp};

/// How long an agent task counts after its last change.
pub const TASK_LIFETIME: Span = Span::days(14);

/// What a goal is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalKind {
    /// Something to reach.
    #[default]
    Goal,
    /// A project, known by its tags.
    Project,
    /// Something an agent does for the user.
    Task,
}
names!(GoalKind { Goal => "goal", Project => "project", Task => "task" });

/// Whether a goal counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStatus {
    /// Counts.
    #[default]
    Active,
    /// Does not.
    Done,
}
names!(GoalStatus { Active => "active", Done => "done" });

/// The part of a goal that a caller writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoalDraft {
    /// What it is.
    pub kind: GoalKind,
    /// In a few words.
    pub title: String,
    /// In more words.
    pub description: String,
    /// Tags; memories with the same tags are relevant.
    pub tags: Vec<String>,
    /// How important, in (0, 1].
    pub importance: f64,
    /// Whether it counts.
    pub status: GoalStatus,
}

/// A goal as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// Its id.
    pub id: GoalId,
    /// What the caller wrote, normalized.
    pub draft: GoalDraft,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Counts writes, from 1; the etag.
    pub revision: u64,
}

impl Goal {
    /// Whether it counts in a score computed at `now`.
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
