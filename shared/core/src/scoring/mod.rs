//! A memory's score (K-3): the weighted sum of four signals in [0, 1]. Versioned and reproducible to the bit.
//!
//! A version never changes: a new formula, constant or word list is a new version, and replaces the one before. Stored scores name
//! their version; the next full run scores them by the present one. All transcendental functions come from `libm`.

mod compact;
mod inputs;
mod nearness;
mod v2;
mod weights;

pub(crate) use compact::is_version;
pub(crate) use inputs::is_input;
pub use nearness::GoalNearness;
pub use v2::Scorer;
pub use weights::{Preset, Weights};

use std::collections::BTreeMap;

use crate::ids::GoalId;
use crate::time::Timestamp;

/// The version of the scoring function that this build computes.
pub const SCORING_VERSION: &str = "scoring/v2";

/// The four signals, each in [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signals {
    /// Match against the user's active goals.
    pub relevance_to_goals: f64,
    /// Sentiment strength and explicit feedback.
    pub emotional_weight: f64,
    /// Smoothed rate at which this and similar memories helped; before any outcome, what the text lets expect.
    pub predictive_value: f64,
    /// Recency and frequency of access.
    pub recency_freq: f64,
}

/// A score with everything it was computed from, so that it can be explained (K-3.6).
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRecord {
    /// The version of the scoring function, such as `scoring/v2`.
    pub version: String,
    /// When it was computed.
    pub scored_at: Timestamp,
    /// The score in [0, 1].
    pub score: f64,
    /// The signals.
    pub signals: Signals,
    /// The weights used, normalized.
    pub weights: Weights,
    /// Inputs by name, such as `age_days` or `access_count`.
    pub inputs: BTreeMap<String, f64>,
    /// The goal that matched best.
    pub best_goal: Option<GoalId>,
}

impl ScoreRecord {
    /// Removes the best goal and the inputs that come from goals or other memories, for callers who may not see those.
    #[must_use]
    pub fn of_itself(mut self) -> Self {
        self.best_goal = None;
        self.inputs.retain(|name, _| !name.starts_with("goal") && !name.starts_with("similar_"));
        self
    }
}
