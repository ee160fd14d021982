//! How near memories are to goals in meaning, where both have vectors.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ids::{GoalId, Seq};

/// For each memory the goals that it is near to, with the evidence for that in (0, 1). Cheap to clone.
///
/// Computed by `meditation`, which reads the vectors; scoring takes the larger of this and the evidence of words. Without
/// vectors it is empty, and scores are those of words to the bit.
#[derive(Clone, Debug, Default)]
pub struct GoalNearness(Arc<HashMap<Seq, Vec<(GoalId, f64)>>>);

impl GoalNearness {
    /// From evidence by memory.
    pub fn new(evidence: HashMap<Seq, Vec<(GoalId, f64)>>) -> Self {
        Self(Arc::new(evidence))
    }

    /// The goals that a memory is near to.
    pub fn of(&self, seq: Seq) -> &[(GoalId, f64)] {
        self.0.get(&seq).map_or(&[], Vec::as_slice)
    }

    /// Whether no memory is near to any.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
