//! What stages hand to each other: memories that were found, and candidates with what was lent to them.

use super::stages::explain::FoundBy;
use super::weights::DEPTH;
use crate::ports::LexicalHit;

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What is known about it.
    pub hit: LexicalHit,
    /// How strongly it was found: BM25, or what stands in for it; 0 for what only its vector found.
    pub strength: f64,
    /// How strongly its vector found it, in units of BM25.
    pub vector: f64,
    /// Cosine between its vector and the query's, if it was compared.
    pub cosine: Option<f32>,
    /// How.
    pub by: FoundBy,
}

impl Found {
    /// Found other than by its vector.
    pub fn new(hit: LexicalHit, strength: f64, by: FoundBy) -> Self {
        Self { hit, strength, vector: 0.0, cosine: None, by }
    }

    /// Whether it tells something about its neighbours.
    pub(super) fn lends(&self) -> bool {
        self.by.by_text() || self.by.holds(FoundBy::VECTOR)
    }
}

/// A memory that may be a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What is known about it.
    pub hit: LexicalHit,
    /// How strongly it was found itself; 0 for a mere neighbour.
    pub lexical: f64,
    /// What others of its session lent it.
    pub context: f64,
    /// How strongly its vector found it, in the same units.
    pub vector: f64,
    /// What others of its session lent it of that.
    pub vector_context: f64,
    /// Cosine between its vector and the query's, if it was compared.
    pub cosine: Option<f32>,
    /// How it was found.
    pub by: FoundBy,
}

impl Candidate {
    /// What was found, before anything was lent to it.
    pub(super) fn alone(found: Found) -> Self {
        let Found { hit, strength, vector, cosine, by } = found;
        Self { hit, lexical: strength, context: 0.0, vector, vector_context: 0.0, cosine, by }
    }
}

/// Joins what was found in several ways, each memory once, and keeps the best [`DEPTH`], in order of number.
pub fn merge(mut found: Vec<Found>) -> Vec<Found> {
    // By strength within a number too, so that sums do not depend on the order given.
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
