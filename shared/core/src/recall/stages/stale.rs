//! What rested in part on something that was erased on request: it may still hold, but less is known to say so.

use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::analysis::Analysis;

/// The factor for it.
pub(super) fn factor(hit: &LexicalHit, _: &Analysis, weights: &Weights) -> f64 {
    if hit.stale { weights.stale } else { 1.0 }
}
