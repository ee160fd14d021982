//! `emotional_weight`: sentiment strength plus explicit feedback (K-3.2).
//!
//! Without feedback it is `base = 0.25 + 0.5*|sentiment|`: a neutral text keeps a little, so that a thumbs down can take
//! it away. Feedback `f` in [-1, 1] (a rating of 3 is 0) moves it 80 % of the way to 1 or to 0, in proportion:
//! `base + 0.8*f*(1 - base)` for f > 0, `base + 0.8*f*base` for f < 0. What the user said outweighs what the words sound
//! like: a thumbs up is worth at least 0.85, a thumbs down at most 0.15.

use super::signed_unit;

/// The value of a neutral text without feedback.
const NEUTRAL: f64 = 0.25;
/// The most that the strength of sentiment adds.
const STRENGTH: f64 = 0.5;
/// The share of the way to 1 or 0 that full feedback moves the value.
const FEEDBACK: f64 = 0.8;

/// Returns the signal from sentiment in [-1, 1] and feedback in [-1, 1].
pub(super) fn weight(sentiment: f64, feedback: Option<f64>) -> f64 {
    let base = NEUTRAL + STRENGTH * libm::fabs(signed_unit(sentiment));
    let feedback = signed_unit(feedback.unwrap_or(0.0));
    let room = if feedback > 0.0 { 1.0 - base } else { base };
    (base + FEEDBACK * feedback * room).clamp(0.0, 1.0)
}
