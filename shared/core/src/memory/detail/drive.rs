//! A motivation.

use serde::{Deserialize, Serialize};

use super::{Check, Form};

/// A motivation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriveDetail {
    /// Strength, in [0, 1].
    pub intensity: f64,
    /// The objects of the motivation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<String>,
}

impl Form for DriveDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.number("intensity", self.intensity, 0.0..=1.0);
        check.texts("focus", &self.focus);
    }

    fn texts(&self) -> Vec<&str> {
        self.focus.iter().map(String::as_str).collect()
    }
}
