//! Words: takes the best hits by BM25 of the index, and reduces long texts further.

use super::explain::FoundBy;
use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::candidates::Found;

/// Returns a hit of the index: BM25, reduced for long texts.
pub fn found(hit: LexicalHit, weights: &Weights) -> Found {
    let strength = hit.bm25 * weights.share_of_length(hit.traits.words);
    Found::new(hit, strength, FoundBy::TERM)
}
