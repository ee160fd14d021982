//! Checks a caller's draft of a goal against its bounds.

use super::GoalDraft;
use crate::bounds::{MAX_GOAL_DESCRIPTION_BYTES, MAX_GOAL_TITLE_BYTES, MAX_TAG_BYTES, MAX_TAGS};
use crate::error::{Error, FieldViolation, Result};
use crate::memory::{normalized_labels, trimmed_label};

impl GoalDraft {
    /// Normalizes (trims, removes duplicate tags, takes an importance of 0 as 1) and checks every bound. `path` is the
    /// draft's path in the request, such as `goal`; every violation is reported, not just the first.
    pub fn normalized(mut self, path: &str) -> Result<Self> {
        let mut violations = Vec::new();
        let tags = std::mem::take(&mut self.tags);
        self.tags = normalized_labels(tags, &format!("{path}.tags"), (MAX_TAGS, MAX_TAG_BYTES), &mut violations);
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        match trimmed_label(&self.title, MAX_GOAL_TITLE_BYTES).map(str::to_owned) {
            Ok(title) => self.title = title,
            Err(problem) => bad("title", problem),
        }
        if self.description.len() > MAX_GOAL_DESCRIPTION_BYTES {
            let has = self.description.len();
            bad("description", format!("has {has} bytes; at most {MAX_GOAL_DESCRIPTION_BYTES} are allowed"));
        } else if self.description.contains('\0') {
            bad("description", "contains a NUL character; remove it".to_owned());
        }
        let description = self.description.trim().to_owned();
        self.description = description;
        let unset = self.importance.to_bits() << 1 == 0;
        if unset {
            self.importance = 1.0;
        } else if !(self.importance > 0.0 && self.importance <= 1.0) {
            bad("importance", format!("is {}; above 0 and up to 1 is allowed, or 0 for 1", self.importance));
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::refused_fields;

    fn draft(title: &str) -> GoalDraft {
        GoalDraft { title: title.to_owned(), ..GoalDraft::default() }
    }

    fn fields(draft: GoalDraft) -> Vec<String> {
        refused_fields(draft.normalized("goal"))
    }

    #[test]
    fn draft_is_trimmed_and_its_gaps_are_filled() {
        let tags = ["a ", "b", "a"].map(str::to_owned).to_vec();
        let draft = GoalDraft { tags, description: " why ".to_owned(), ..draft("  Learn Spanish\t") };
        let normal = draft.normalized("goal").unwrap();
        assert_eq!((normal.title.as_str(), normal.description.as_str()), ("Learn Spanish", "why"));
        assert_eq!(normal.tags, ["a", "b"]);
        assert!((normal.importance - 1.0).abs() < f64::EPSILON);
        assert_eq!(normal.clone().normalized("goal").unwrap(), normal);
    }

    #[test]
    fn every_bound_is_held() {
        assert_eq!(fields(draft(" ")), ["goal.title"]);
        assert_eq!(fields(draft("two\nlines")), ["goal.title"]);
        assert_eq!(fields(draft(&"x".repeat(MAX_GOAL_TITLE_BYTES + 1))), ["goal.title"]);
        assert!(draft(&"x".repeat(MAX_GOAL_TITLE_BYTES)).normalized("goal").is_ok());
        assert_eq!(
            fields(draft(&format!("{}x", " ".repeat(MAX_GOAL_TITLE_BYTES)))),
            ["goal.title"],
            "measured as sent"
        );
        for importance in [1.000_001, -0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(fields(GoalDraft { importance, ..draft("x") }), ["goal.importance"]);
        }
        let long = "d".repeat(MAX_GOAL_DESCRIPTION_BYTES + 1);
        let tags = vec![String::new()];
        let wrong = GoalDraft { description: long, tags, importance: 2.0, ..draft("") };
        assert_eq!(fields(wrong), ["goal.tags[0]", "goal.title", "goal.description", "goal.importance"]);
    }
}
