//! The detail of a relationship with a person or an agent.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::{MAX_RELATION_BYTES, MAX_SUBJECT_BYTES};

/// Share by which trust and sentiment move towards those of one interaction.
const STEP: f64 = 0.25;

/// A relationship with a person or an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RelationshipDetail {
    /// Name of the person or agent.
    pub entity: String,
    /// Their relation to the user or assistant; empty if unknown.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub relation: String,
    /// Trust in them, in [0, 1].
    pub trust: f64,
    /// Sentiment towards them, in [-1, 1].
    pub sentiment: f64,
    /// Number of interactions.
    #[serde(default)]
    pub interactions: i64,
}

impl RelationshipDetail {
    /// Records one interaction, and moves trust and sentiment a quarter of the way to the values given; `None` leaves them.
    pub fn count_interaction(&mut self, trust: Option<f64>, sentiment: Option<f64>) {
        self.interactions = self.interactions.saturating_add(1);
        let moved = |from: f64, to: Option<f64>| to.map_or(from, |to| from + (to - from) * STEP);
        self.trust = moved(self.trust, trust).clamp(0.0, 1.0);
        self.sentiment = moved(self.sentiment, sentiment).clamp(-1.0, 1.0);
    }
}

impl Form for RelationshipDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.name("entity", &mut self.entity, MAX_SUBJECT_BYTES);
        check.optional_name("type", &mut self.relation, MAX_RELATION_BYTES);
        check.number("trust", self.trust, 0.0..=1.0);
        check.number("sentiment", self.sentiment, -1.0..=1.0);
        check.count("interactions", self.interactions);
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.entity, &self.relation]
    }

    fn subject(&self) -> Option<&str> {
        Some(&self.entity)
    }
}
