//! The goals shown in the block `goals`.

use crate::goals::{Goal, GoalStatus};

/// Titles of active goals that fit into `room` bytes: the most important first, then the oldest.
pub fn shown_goals(goals: &[Goal], room: usize) -> Vec<&str> {
    let mut active: Vec<&Goal> = goals.iter().filter(|goal| goal.draft.status == GoalStatus::Active).collect();
    active.sort_by(|one, other| {
        let by_importance = other.draft.importance.total_cmp(&one.draft.importance);
        by_importance.then_with(|| (one.created_at, one.id.0).cmp(&(other.created_at, other.id.0)))
    });
    let mut left = room;
    let fits = |title: &&str| {
        let rest = left.checked_sub(title.len());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    active.into_iter().map(|goal| goal.draft.title.as_str()).take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::GoalDraft;
    use crate::ids::GoalId;
    use crate::time::Timestamp;

    fn goal(n: u128, title: &str, importance: f64, status: GoalStatus) -> Goal {
        let at = Timestamp(i64::try_from(n).unwrap());
        let draft = GoalDraft { title: title.to_owned(), importance, status, ..GoalDraft::default() };
        Goal { id: GoalId(uuid::Uuid::from_u128(n)), draft, created_at: at, updated_at: at, revision: 1 }
    }

    #[test]
    fn active_goals_are_shown_by_importance_as_far_as_there_is_room() {
        let active = GoalStatus::Active;
        let goals = [
            goal(3, "third", 0.5, active),
            goal(1, "second", 0.5, active),
            goal(2, "done", 1.0, GoalStatus::Done),
            goal(4, "first", 0.9, active),
        ];
        assert_eq!(shown_goals(&goals, 100), ["first", "second", "third"]);
        assert_eq!(shown_goals(&goals, "firstsecond".len()), ["first", "second"]);
        assert_eq!(shown_goals(&goals, 0), [""; 0]);
    }
}
