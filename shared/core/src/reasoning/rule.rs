//! The rules by which something is concluded, and how sure each is.

use serde::{Deserialize, Serialize};

use crate::memory::{InsightType, names};

/// A rule. The place of a value is stored: new ones come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// What lies in something lies in what that lies in.
    LiesIn,
    /// A part of a part is a part.
    PartOf,
    /// Who works at something works where that is,
    WorksIn,
    /// and for what that is a part of.
    WorksFor,
    /// Who lives somewhere lives where that lies.
    LivesIn,
    /// What comes before something comes before what comes after that.
    Before,
    /// A relation of family as the other side says it.
    Inverse,
    /// A relation of family by two others.
    Kin,
    /// People who are together on several days.
    Together,
    /// What happens on the same day of the week.
    Weekday,
    /// What is liked, or disliked, again and again.
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

/// Most that an induction is believed,
const MOST_LIKELY: f64 = 0.75;
/// by the fewest events,
const LIKELY: f64 = 0.60;
/// and how much each further one adds.
const BY_EVENT: f64 = 0.05;
/// Fewest like events that make an induction.
pub(super) const FEWEST: usize = 3;

/// A deduction is believed at least so far,
const LEAST_CERTAIN: f64 = 0.80;
/// and by so much less for each step beyond the first.
const BY_STEP: f64 = 0.05;

impl Rule {
    /// Whether what it concludes follows, or is likely.
    pub const fn insight_type(self) -> InsightType {
        match self {
            Self::Together | Self::Weekday | Self::Preference => InsightType::Induction,
            _ => InsightType::Deduction,
        }
    }

    /// How far a conclusion from so many premises is believed: 0.80 to 0.90 for deductions, 0.60 to 0.75 for inductions.
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
    fn confidences_keep_to_their_ranges_however_many_premises_there_are() {
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
