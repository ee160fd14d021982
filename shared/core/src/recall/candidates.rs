//! The data that stages pass to each other: found memories, and candidates with the strength that neighbours added.

use super::stages::explain::FoundBy;
use super::weights::DEPTH;
use crate::ports::LexicalHit;

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Metadata used for scoring.
    pub hit: LexicalHit,
    /// The strength by words: BM25, or its substitute; 0 if only the vector found the memory.
    pub strength: f64,
    /// The strength by the vector, in units of BM25.
    pub vector: f64,
    /// Cosine between its vector and the query's, if it was compared.
    pub cosine: Option<f32>,
    /// The ways in which it was found.
    pub by: FoundBy,
}

impl Found {
    /// Creates a memory that was found by other means than its vector.
    pub fn new(hit: LexicalHit, strength: f64, by: FoundBy) -> Self {
        Self { hit, strength, vector: 0.0, cosine: None, by }
    }

    /// Reports whether it adds strength to its neighbours.
    pub(super) fn lends(&self) -> bool {
        self.by.by_text() || self.by.holds(FoundBy::VECTOR)
    }
}

/// A memory that may become a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Metadata used for scoring.
    pub hit: LexicalHit,
    /// The memory's own strength by words; 0 for a mere neighbour.
    pub lexical: f64,
    /// The strength by words that others of its session added.
    pub context: f64,
    /// The memory's own strength by its vector, in the same units.
    pub vector: f64,
    /// The strength by vectors that others of its session added.
    pub vector_context: f64,
    /// Cosine between its vector and the query's, if it was compared.
    pub cosine: Option<f32>,
    /// The ways in which it was found.
    pub by: FoundBy,
}

impl Candidate {
    /// Creates a candidate without strength from neighbours.
    pub(super) fn alone(found: Found) -> Self {
        let Found { hit, strength, vector, cosine, by } = found;
        Self { hit, lexical: strength, context: 0.0, vector, vector_context: 0.0, cosine, by }
    }
}

/// Merges memories that were found in several ways, each memory once. Keeps the best [`DEPTH`], ordered by sequence
/// number.
pub fn merge(mut found: Vec<Found>) -> Vec<Found> {
    // Ordered by strength for equal numbers too, so that sums do not depend on the input order.
    found.sort_unstable_by(|a, b| a.hit.seq.cmp(&b.hit.seq).then(b.strength.total_cmp(&a.strength)));
    found.dedup_by(|next, kept| {
        let same = next.hit.seq == kept.hit.seq;
        if same {
            kept.strength += next.strength;
            kept.by = kept.by.and(next.by);
        }
        same
    });
    if found.len() > DEPTH {
        found.sort_unstable_by(|a, b| b.strength.total_cmp(&a.strength).then(a.hit.seq.cmp(&b.hit.seq)));
        found.truncate(DEPTH);
        found.sort_unstable_by_key(|one| one.hit.seq);
    }
    found
}
