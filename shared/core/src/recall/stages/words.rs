//! Words: the best by BM25 of the index, deep, and then length counts once more.

use super::explain::FoundBy;
use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::candidates::Found;

/// A hit of the index: BM25, less for long texts.
pub fn found(hit: LexicalHit, weights: &Weights) -> Found {
    let strength = hit.bm25 * weights.share_of_length(hit.traits.words);
    Found::new(hit, strength, FoundBy::TERM)
}
