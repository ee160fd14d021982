//! The detail of an episode.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::memory::names;

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeType {
    /// As intended.
    Success,
    /// In part.
    Partial,
    /// Not as intended.
    Failure,
}
names!(OutcomeType { Success => "success", Partial => "partial", Failure => "failure" });

/// An attempt or an experience.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpisodeDetail {
    /// The goal of the attempt.
    pub objective: String,
    /// The result; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// How it ended, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome_type: Option<OutcomeType>,
    /// The extracted records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<String>,
    /// How pleasant it was, in [-1, 1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valence: Option<f64>,
    /// How exciting it was, in [0, 1].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arousal: Option<f64>,
}

impl EpisodeDetail {
    /// The emotion as a sentiment in [-1, 1], which replaces that of the words: the mean of |valence| and arousal,
    /// with the sign of the valence. If only one of them is given, that one.
    pub fn emotion(&self) -> Option<f64> {
        match (self.valence, self.arousal) {
            (Some(valence), Some(arousal)) => Some(f64::midpoint(valence.abs(), arousal).copysign(valence)),
            (valence, arousal) => valence.or(arousal),
        }
    }
}

impl Form for EpisodeDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.text("objective", &self.objective);
        check.optional_text("outcome", &self.outcome);
        check.texts("lessons", &self.lessons);
        if let Some(valence) = self.valence {
            check.number("valence", valence, -1.0..=1.0);
        }
        if let Some(arousal) = self.arousal {
            check.number("arousal", arousal, 0.0..=1.0);
        }
    }

    fn texts(&self) -> Vec<&str> {
        [self.objective.as_str(), &self.outcome].into_iter().chain(self.lessons.iter().map(String::as_str)).collect()
    }
}
