//! Lowers cold memories, so that they rank below others that match about as well.

use super::explain::Ranked;
use super::weigh::final_score;
use crate::recall::Weights;

/// Lowers the score of a cold memory.
pub fn lower(one: &mut Ranked, weights: &Weights) {
    one.parts.cold_factor = weights.cold;
    one.score = final_score(&one.parts);
}
