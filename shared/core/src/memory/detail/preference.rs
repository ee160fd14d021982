//! The detail of a preference.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::MAX_SUBJECT_BYTES;
use crate::memory::names;

/// Whether something is liked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// Liked, wanted.
    Positive,
    /// Disliked, avoided.
    Negative,
}
names!(Polarity { Positive => "positive", Negative => "negative" });

/// A like or dislike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferenceDetail {
    /// The thing liked or disliked.
    pub subject: String,
    /// Whether it is liked or disliked.
    pub polarity: Polarity,
}

impl Form for PreferenceDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.name("subject", &mut self.subject, MAX_SUBJECT_BYTES);
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.subject]
    }

    fn subject(&self) -> Option<&str> {
        Some(&self.subject)
    }
}
