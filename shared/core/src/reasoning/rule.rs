//! The rules of inference and their confidence.

use serde::{Deserialize, Serialize};

use crate::memory::{InsightType, names};

/// A rule. Positions are stored: add new values at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A thing in a place is also in the place around it.
    LiesIn,
    /// A part of a part is a part of the whole.
    PartOf,
    /// A person who works at something works where it is located.
    WorksIn,
    /// A person who works at something works for what it is a part of.
    WorksFor,
    /// A person who lives somewhere lives in the place around it.
    LivesIn,
    /// "Comes before" is transitive.
    Before,
    /// A family relation seen from the other side.
    Inverse,
    /// A family relation through a third person.
    Kin,
    /// People who are together on several days.
    Together,
    /// Something that always happens on the same day of the week.
    Weekday,
    /// A like or dislike stated repeatedly.
    Preference,
}
names!(Rule {
    LiesIn => "lies_in",
    PartOf => "part_of",
    WorksIn => "works_in",
    WorksFor => "works_for",
    LivesIn => "lives_in",
    Before => "before",
    Inverse => "inverse",
    Kin => "kin",
    Together => "together",
    Weekday => "weekday",
    Preference => "preference",
});

/// Highest confidence of an induction.
const MOST_LIKELY: f64 = 0.75;
/// Confidence of an induction from [`FEWEST`] events.
const LIKELY: f64 = 0.60;
/// Increase for each further event.
const BY_EVENT: f64 = 0.05;
/// Fewest similar events for an induction.
pub(super) const FEWEST: usize = 3;

/// Lowest confidence of a deduction.
const LEAST_CERTAIN: f64 = 0.80;
/// Decrease for each step beyond the first.
const BY_STEP: f64 = 0.05;

impl Rule {
    /// Reports whether its conclusions are deduced or induced.
    pub const fn insight_type(self) -> InsightType {
        match self {
            Self::Together | Self::Weekday | Self::Preference => InsightType::Induction,
            _ => InsightType::Deduction,
        }
    }

    /// Confidence of a conclusion from a number of premises: 0.80 to 0.90 for deductions, 0.60 to 0.75 for inductions.
    pub fn confidence(self, premises: usize) -> f64 {
        let beyond = |fewest: usize| f64::from(u8::try_from(premises.saturating_sub(fewest)).unwrap_or(u8::MAX));
        if self.insight_type() == InsightType::Induction {
            return (LIKELY + BY_EVENT * beyond(FEWEST)).min(MOST_LIKELY);
        }
        let certain = match self {
            Self::LiesIn | Self::PartOf | Self::LivesIn => 0.90,
            Self::WorksFor | Self::Before | Self::Kin => 0.85,
            _ => LEAST_CERTAIN,
        };
        (certain - BY_STEP * beyond(2)).max(LEAST_CERTAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidences_stay_in_range_for_any_number_of_premises() {
        for rule in Rule::ALL {
            for premises in [1, 2, 3, 5, 900] {
                let confidence = rule.confidence(premises);
                let allowed = match rule.insight_type() {
                    InsightType::Deduction => 0.80..=0.90,
                    InsightType::Induction => 0.60..=0.75,
                };
                assert!(allowed.contains(&confidence), "{rule} {premises} {confidence}");
            }
        }
        assert!(Rule::Weekday.confidence(4) > Rule::Weekday.confidence(3));
        assert!(Rule::LiesIn.confidence(3) < Rule::LiesIn.confidence(2));
    }
}
