//! What is cold counts less, so that it gives its place to what is about as good and is not.

use super::weigh::{Ranked, final_score};
use crate::recall::Weights;

/// Has one that is cold count less.
pub fn lower(one: &mut Ranked, weights: &Weights) {
    one.parts.cold_factor = weights.cold;
    one.score = final_score(&one.parts);
}
