//! A procedure.

use serde::{Deserialize, Serialize};

use super::{Check, Form};

/// A procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaybookDetail {
    /// Situations in which to use it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<String>,
    /// Ways in which it can fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_modes: Vec<String>,
    /// Number of uses.
    #[serde(default)]
    pub used: i64,
    /// Number of successful uses.
    #[serde(default)]
    pub succeeded: i64,
}

impl PlaybookDetail {
    /// Counts one use.
    pub const fn count_use(&mut self, success: bool) {
        self.used = self.used.saturating_add(1);
        if success {
            self.succeeded = self.succeeded.saturating_add(1);
        }
    }
}

impl Form for PlaybookDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.texts("triggers", &self.triggers);
        if self.steps.is_empty() {
            check.bad("steps", "is empty; name at least one step");
        }
        check.texts("steps", &self.steps);
        check.texts("failure_modes", &self.failure_modes);
        check.count("used", self.used);
        check.count("succeeded", self.succeeded);
        if self.succeeded > self.used {
            check.bad("succeeded", format!("is {}; at most `used`, {}, is allowed", self.succeeded, self.used));
        }
    }

    fn texts(&self) -> Vec<&str> {
        [&self.triggers, &self.steps, &self.failure_modes].into_iter().flatten().map(String::as_str).collect()
    }
}
