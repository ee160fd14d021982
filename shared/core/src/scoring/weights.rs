//! Weights and their presets (K-3.1, K-3.3).

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// The four weights of the score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Of relevance to goals.
    pub relevance_to_goals: f64,
    /// Of emotional weight.
    pub emotional_weight: f64,
    /// Of predictive value.
    pub predictive_value: f64,
    /// Of recency and frequency.
    pub recency_freq: f64,
}

/// A named set of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// .40/.30/.20/.10
    #[default]
    Balanced,
    /// .55/.15/.20/.10
    TaskFocused,
    /// .25/.50/.15/.10
    FeedbackDriven,
    /// .30/.20/.15/.35
    FreshContext,
    /// .45/.25/.25/.05
    Archival,
}
names!(Preset {
    Balanced => "balanced",
    TaskFocused => "task-focused",
    FeedbackDriven => "feedback-driven",
    FreshContext => "fresh-context",
    Archival => "archival",
});
