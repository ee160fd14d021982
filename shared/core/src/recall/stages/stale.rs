//! Lowers memories that lost part of their sources to an erasure on request: they may still be true, but have less support.

use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::analysis::Analysis;

/// Returns the factor for staleness.
pub(super) fn factor(hit: &LexicalHit, _: &Analysis, weights: &Weights) -> f64 {
    if hit.stale { weights.stale } else { 1.0 }
}
