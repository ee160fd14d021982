//! `predictive_value`: the smoothed rate at which this and similar memories led to helpful outcomes (K-3.2).
//!
//! Similar memories are those that share a tag; their outcomes set the prior, by the rule of succession:
//! `prior = (H + 2*q) / (H + U + 2)`, where `q = 0.1 + 0.8*informativeness` is what its text lets expect before any outcome
//! is known. The memory's own outcomes then move it away from the prior as in a Beta distribution of strength 4:
//! `(h + 4*prior) / (h + u + 4)`. A memory that shares several tags counts once for each.

use std::collections::HashMap;

use super::number;
use crate::meditation::{ScoringItem, TagOutcomes};

/// The number of own outcomes at which they weigh as much as the prior.
const PRIOR_STRENGTH: f64 = 4.0;
/// The rate expected of a text that says nothing; of one that says all it can, 1 less this.
const LEAST_EXPECTED: f64 = 0.1;

/// Outcomes by tag.
#[derive(Debug)]
pub(super) struct Outcomes(HashMap<String, (u64, u64)>);

impl Outcomes {
    /// Indexes outcomes by tag; a tag listed twice counts with the sum.
    pub(super) fn new(tags: &[TagOutcomes]) -> Self {
        let mut by_tag: HashMap<String, (u64, u64)> = HashMap::with_capacity(tags.len());
        for outcome in tags {
            let sum = by_tag.entry(outcome.tag.clone()).or_default();
            sum.0 = sum.0.saturating_add(outcome.helpful);
            sum.1 = sum.1.saturating_add(outcome.unhelpful);
        }
        Self(by_tag)
    }

    /// Returns the helpful and unhelpful outcomes of other memories that share a tag with this one.
    pub(super) fn of_similar(&self, item: &ScoringItem) -> (u64, u64) {
        let mut sum = (0_u64, 0_u64);
        if self.0.is_empty() {
            return sum;
        }
        for (helpful, unhelpful) in item.tags.iter().filter_map(|tag| self.0.get(tag)) {
            sum.0 = sum.0.saturating_add(helpful.saturating_sub(item.helpful));
            sum.1 = sum.1.saturating_add(unhelpful.saturating_sub(item.unhelpful));
        }
        sum
    }
}

/// The signal, from a memory's own outcomes and those of similar ones, each (helpful, unhelpful), and from its informativeness.
pub(super) fn value(own: (u64, u64), similar: (u64, u64), informativeness: f64) -> f64 {
    let (own_helpful, own_all) = (number(own.0), number(own.0) + number(own.1));
    let (similar_helpful, similar_all) = (number(similar.0), number(similar.0) + number(similar.1));
    let expected = LEAST_EXPECTED + (1.0 - 2.0 * LEAST_EXPECTED) * informativeness;
    let prior = (similar_helpful + 2.0 * expected) / (similar_all + 2.0);
    ((own_helpful + PRIOR_STRENGTH * prior) / (own_all + PRIOR_STRENGTH)).clamp(0.0, 1.0)
}
