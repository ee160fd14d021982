//! The detail of a decision.

use serde::{Deserialize, Serialize};

use super::{Check, Form};

/// A choice that was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionDetail {
    /// The option chosen.
    pub choice: String,
    /// The options not chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// The reason; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rationale: String,
}

impl Form for DecisionDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.text("choice", &self.choice);
        check.texts("alternatives", &self.alternatives);
        check.optional_text("rationale", &self.rationale);
    }

    fn texts(&self) -> Vec<&str> {
        let alternatives = self.alternatives.iter().map(String::as_str);
        std::iter::once(self.choice.as_str()).chain(alternatives).chain([self.rationale.as_str()]).collect()
    }
}
