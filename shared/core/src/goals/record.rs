//! Bounds of imported goals.

use super::Goal;
use crate::bounds::{CLOCK_SKEW, MAX_RECORD_COUNT};
use crate::error::{Error, FieldViolation, Result};
use crate::time::Timestamp;

impl Goal {
    /// Normalizes and checks an imported goal: nothing that a caller sends is trusted, even if Kimberly once wrote it.
    pub fn checked(mut self, path: &str, now: Timestamp) -> Result<Self> {
        let mut violations = Vec::new();
        match std::mem::take(&mut self.draft).normalized(path) {
            Ok(draft) => self.draft = draft,
            Err(Error::Invalid(found)) => violations = found,
            Err(other) => return Err(other),
        }
        let mut bad =
            |field: &str, problem: &str| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        if self.id.0.get_version_num() != 7 {
            bad("id", "is not a UUID version 7, as Kimberly creates them");
        }
        let latest = now.plus(CLOCK_SKEW);
        for (field, at) in [("created_at", self.created_at), ("updated_at", self.updated_at)] {
            if at > latest {
                bad(field, "is in the future; check the clocks of both machines");
            }
        }
        if self.updated_at < self.created_at {
            bad("updated_at", "is before created_at; leave both as they were exported");
        }
        if !(1..=MAX_RECORD_COUNT).contains(&self.revision) {
            let allowed = format!("a whole number from 1 to {MAX_RECORD_COUNT}");
            bad("etag", &format!("must be {allowed}; leave it as it was exported"));
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::refused_fields;
    use crate::goals::GoalDraft;
    use crate::ids::GoalId;
    use crate::time::Span;

    const NOW: Timestamp = Timestamp(1_790_000_000_000_000);

    fn goal() -> Goal {
        Goal {
            id: GoalId(uuid::Uuid::parse_str("01920000-0000-7000-8000-000000000001").unwrap()),
            draft: GoalDraft { title: "sail".to_owned(), importance: 0.5, ..GoalDraft::default() },
            created_at: Timestamp(NOW.0 - 10),
            updated_at: NOW,
            revision: 2,
        }
    }

    fn fields(goal: Goal) -> Vec<String> {
        refused_fields(goal.checked("goals[0]", NOW))
    }

    #[test]
    fn what_comes_back_is_held_to_its_bounds() {
        assert_eq!(goal().checked("goals[0]", NOW).unwrap(), goal());
        let latest = NOW.plus(CLOCK_SKEW);
        assert!(Goal { updated_at: latest, ..goal() }.checked("goals[0]", NOW).is_ok());
        assert_eq!(fields(Goal { updated_at: Timestamp(NOW.0 - 11), ..goal() }), ["goals[0].updated_at"]);
        let ahead = latest.plus(Span(1));
        let id = GoalId(uuid::Uuid::from_u128(4));
        let wrong = Goal { id, draft: GoalDraft::default(), created_at: ahead, updated_at: ahead, revision: 0 };
        let all = ["title", "id", "created_at", "updated_at", "etag"].map(|field| format!("goals[0].{field}"));
        assert_eq!(fields(wrong), all);
        assert_eq!(fields(Goal { revision: MAX_RECORD_COUNT + 1, ..goal() }), ["goals[0].etag"]);
    }
}
