//! `scoring/v2`: `score = w1*relevance_to_goals + w2*emotional_weight + w3*predictive_value + w4*recency_freq` (K-3.1),
//! with weights of sum 1 and every signal in [0, 1], so that the score is in [0, 1] too. One signal per file.
//!
//! Ages count in whole hours from a `now` that the caller truncates to the hour, so a memory keeps its score within the
//! hour. Nearness by vectors ([`GoalNearness`]) is an input like the others: without it, a score is that of a user
//! without vectors. Uses only `+ - * /`, which IEEE 754 fixes to the bit, and `libm`.

mod emotional;
mod informativeness;
mod predictive;
mod recency;
mod relevance;
mod sample;
mod stop_words;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::predictive::Outcomes;
use self::relevance::{GoalIndex, Relevance};
use super::inputs::HOURS_PER_DAY;
use super::{GoalNearness, ScoreRecord, Signals, Weights};
use crate::goals::Goal;
use crate::meditation::{ScoringItem, TagOutcomes};
use crate::time::{Span, Timestamp};

/// The name of this version.
const VERSION: &str = "scoring/v2";

/// Scores memories of one user at one time. Caches the stems of words, so use one scorer for many memories.
#[derive(Debug)]
pub struct Scorer {
    goals: GoalIndex,
    outcomes: Outcomes,
    weights: Weights,
    now: Timestamp,
    nearness: GoalNearness,
}

impl Scorer {
    /// Creates a scorer from a user's goals (those that do not count at `now` are skipped), weights (normalized here)
    /// and outcomes by tag, in any order. `now` should be on the full hour, as from [`Timestamp::start_of_hour`].
    pub fn new(goals: &[Goal], weights: Weights, tags: &[TagOutcomes], now: Timestamp) -> Self {
        let nearness = GoalNearness::default();
        Self {
            goals: GoalIndex::new(goals, now),
            outcomes: Outcomes::new(tags),
            weights: weights.normalized(),
            now,
            nearness,
        }
    }

    /// Adds the nearness of memories to the same goals.
    #[must_use]
    pub fn with_nearness(self, nearness: GoalNearness) -> Self {
        Self { nearness, ..self }
    }

    /// Returns the score of one memory, with everything it was computed from.
    pub fn score(&mut self, item: &ScoringItem) -> ScoreRecord {
        let seen = whole_hours(self.now.since(item.last_seen_at));
        let similar = self.outcomes.of_similar(item);
        let informs = informativeness::of(&item.content);
        let relevance = self.goals.relevance(&item.content, &item.tags, self.nearness.of(item.seq));
        let signals = Signals {
            relevance_to_goals: relevance.value,
            emotional_weight: emotional::weight(item.sentiment, item.feedback),
            predictive_value: predictive::value((item.helpful, item.unhelpful), similar, informs),
            recency_freq: recency::value(seen, item.access_count),
        };
        ScoreRecord {
            version: VERSION.to_owned(),
            scored_at: self.now,
            score: weigh(&signals, &self.weights),
            signals,
            weights: self.weights,
            inputs: self.inputs(item, seen, (similar, informs), &relevance),
            best_goal: relevance.best.map(|best| best.id),
        }
    }

    fn inputs(
        &self,
        item: &ScoringItem,
        seen: f64,
        (similar, informs): ((u64, u64), f64),
        goal: &Relevance,
    ) -> BTreeMap<String, f64> {
        let age = whole_hours(self.now.since(item.created_at));
        let mut inputs = vec![
            ("age_days", age / HOURS_PER_DAY),
            ("days_since_seen", seen / HOURS_PER_DAY),
            ("access_count", number(item.access_count)),
            ("sentiment", signed_unit(item.sentiment)),
            ("helpful", number(item.helpful)),
            ("unhelpful", number(item.unhelpful)),
            ("informativeness", informs),
            ("similar_helpful", number(similar.0)),
            ("similar_unhelpful", number(similar.1)),
            ("goals", number(self.goals.len() as u64)),
        ];
        inputs.extend(item.feedback.map(|feedback| ("feedback", signed_unit(feedback))));
        if let Some(best) = &goal.best {
            inputs.extend([
                ("goal_importance", best.importance),
                ("goal_title_words", f64::from(best.title_words)),
                ("goal_title_matched", f64::from(best.matches.title)),
                ("goal_description_matched", f64::from(best.matches.description)),
                ("goal_tags_matched", f64::from(best.matches.tags)),
            ]);
            inputs.extend(best.nearness.map(|nearness| ("goal_nearness", nearness)));
        }
        inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// The weighted sum, clamped to [0, 1] against rounding in the last bit.
fn weigh(signals: &Signals, weights: &Weights) -> f64 {
    let sum = weights.relevance_to_goals * signals.relevance_to_goals
        + weights.emotional_weight * signals.emotional_weight
        + weights.predictive_value * signals.predictive_value
        + weights.recency_freq * signals.recency_freq;
    sum.clamp(0.0, 1.0)
}

/// Returns the whole hours of a span; 0 for a negative one.
fn whole_hours(span: Span) -> f64 {
    number(u64::try_from(span.0 / Span::hours(1).0).unwrap_or(0))
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 differ in nothing that a score could show")]
fn number(count: u64) -> f64 {
    count as f64
}

/// Clamps a number to [-1, 1]; NaN counts as 0.
fn signed_unit(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(-1.0, 1.0) }
}
