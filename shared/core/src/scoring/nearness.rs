//! How near memories are to goals in meaning, if both have vectors.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ids::{GoalId, Seq};

/// For each memory, the goals that it is near to, with evidence in (0, 1). Cheap to clone.
///
/// Computed by `meditation`, which reads the vectors. Scoring takes the larger of this and the evidence from words.
/// Without vectors it is empty, and scores are bit for bit those from words.
#[derive(Clone, Debug, Default)]
pub struct GoalNearness(Arc<HashMap<Seq, Vec<(GoalId, f64)>>>);

impl GoalNearness {
    /// Wraps the evidence by memory.
    pub fn new(evidence: HashMap<Seq, Vec<(GoalId, f64)>>) -> Self {
        Self(Arc::new(evidence))
    }

    /// Returns the goals that a memory is near to, with the evidence.
    pub fn of(&self, seq: Seq) -> &[(GoalId, f64)] {
        self.0.get(&seq).map_or(&[], Vec::as_slice)
    }

    /// Reports whether no memory is near any goal.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
