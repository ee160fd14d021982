//! Weights and their presets (K-3.1, K-3.3, K-3.5).

use serde::{Deserialize, Serialize};

use crate::error::FieldViolation;
use crate::memory::names;

/// Weights whose sum is this close to 1 are not scaled, so that 0.40/0.30/0.20/0.10 keeps its exact values.
const SUM_TOLERANCE: f64 = 1e-9;

/// The four weights of the score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Weight of relevance to goals.
    pub relevance_to_goals: f64,
    /// Weight of emotional weight.
    pub emotional_weight: f64,
    /// Weight of predictive value.
    pub predictive_value: f64,
    /// Weight of recency and frequency.
    pub recency_freq: f64,
}

impl Weights {
    /// Creates weights from an array in the order of K-3.1.
    pub const fn new([relevance_to_goals, emotional_weight, predictive_value, recency_freq]: [f64; 4]) -> Self {
        Self { relevance_to_goals, emotional_weight, predictive_value, recency_freq }
    }

    /// Returns the weights in the order of K-3.1.
    pub const fn to_array(self) -> [f64; 4] {
        [self.relevance_to_goals, self.emotional_weight, self.predictive_value, self.recency_freq]
    }

    /// Returns what is wrong, field by field; empty if valid. Each weight must lie in [0, 1], and at least one must be
    /// above 0.
    pub fn violations(&self) -> Vec<FieldViolation> {
        let names = ["relevance_to_goals", "emotional_weight", "predictive_value", "recency_freq"];
        let mut found: Vec<_> = names
            .iter()
            .zip(self.to_array())
            .filter(|(_, weight)| !(0.0..=1.0).contains(weight))
            .map(|(name, weight)| FieldViolation::new(*name, format!("is {weight}; 0 to 1 is allowed")))
            .collect();
        if found.is_empty() && self.sum() <= 0.0 {
            found.push(FieldViolation::new("weights", "are all 0; at least one must be above 0"));
        }
        found
    }

    /// Checks the weights. The error is a sentence that names the problem and the allowed values.
    pub fn check(&self) -> Result<(), String> {
        let found = self.violations();
        if found.is_empty() {
            return Ok(());
        }
        Err(found.iter().map(|v| format!("{} {}", v.field, v.problem)).collect::<Vec<_>>().join("; "))
    }

    /// Returns the weights scaled to sum 1. Weights that fail [`check`](Self::check) become those of the default
    /// preset.
    #[must_use]
    pub fn normalized(self) -> Self {
        if self.check().is_err() {
            return Preset::default().weights();
        }
        let sum = self.sum();
        if libm::fabs(sum - 1.0) <= SUM_TOLERANCE {
            self
        } else {
            Self::new(self.to_array().map(|weight| weight / sum))
        }
    }

    fn sum(&self) -> f64 {
        self.relevance_to_goals + self.emotional_weight + self.predictive_value + self.recency_freq
    }
}

/// A named set of weights. Each variant lists them in the order of K-3.1.
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

impl Preset {
    /// Returns the preset's weights, of sum 1.
    pub const fn weights(self) -> Weights {
        Weights::new(match self {
            Self::Balanced => [0.40, 0.30, 0.20, 0.10],
            Self::TaskFocused => [0.55, 0.15, 0.20, 0.10],
            Self::FeedbackDriven => [0.25, 0.50, 0.15, 0.10],
            Self::FreshContext => [0.30, 0.20, 0.15, 0.35],
            Self::Archival => [0.45, 0.25, 0.25, 0.05],
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn presets_pass_their_own_check_and_are_taken_as_they_are() {
        for preset in Preset::ALL {
            let weights = preset.weights();
            assert_eq!(weights.check(), Ok(()));
            assert_eq!(weights.normalized(), weights);
            assert_eq!(Preset::from_name(preset.name()), Some(*preset));
        }
    }

    #[test]
    fn wrong_weights_are_named_with_what_is_allowed() {
        let message = Weights::new([1.5, 0.0, f64::NAN, -0.1]).check().unwrap_err();
        assert_eq!(
            message,
            "relevance_to_goals is 1.5; 0 to 1 is allowed; predictive_value is NaN; 0 to 1 is allowed; recency_freq is \
             -0.1; 0 to 1 is allowed"
        );
        assert_eq!(Weights::new([0.0; 4]).check().unwrap_err(), "weights are all 0; at least one must be above 0");
        assert!(Weights::new([f64::INFINITY, 0.0, 0.0, 0.0]).check().is_err());
    }

    #[test]
    fn equal_weights_become_quarters() {
        assert_eq!(Weights::new([1.0; 4]).normalized(), Weights::new([0.25; 4]));
        assert_eq!(Weights::new([0.0, 0.0, 5e-324, 0.0]).normalized(), Weights::new([0.0, 0.0, 1.0, 0.0]));
    }

    proptest! {
        #[test]
        fn any_four_numbers_normalize_to_sum_one(raw in proptest::array::uniform4(proptest::num::f64::ANY)) {
            let sum: f64 = Weights::new(raw).normalized().to_array().iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-8, "{sum}");
        }
    }
}
