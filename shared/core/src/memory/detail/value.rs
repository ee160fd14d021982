//! A principle.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::MAX_PRIORITY;

/// A principle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueDetail {
    /// Priority over other values.
    pub priority: i32,
}

impl Form for ValueDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        if !(0..=MAX_PRIORITY).contains(&self.priority) {
            check.bad("priority", format!("is {}; 0 to {MAX_PRIORITY} is allowed", self.priority));
        }
    }

    fn texts(&self) -> Vec<&str> {
        Vec::new()
    }
}
