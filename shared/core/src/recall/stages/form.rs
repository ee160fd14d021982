//! The form of a text: questions ask rather than tell, texts of a few words say little, and standing wishes of the
//! person count more.

use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::analysis::Analysis;

/// Returns the factor for the form.
pub(super) fn factor(hit: &LexicalHit, query: &Analysis, weights: &Weights) -> f64 {
    let traits = hit.traits;
    let is_question = traits.is_question && hit.spot.is_some() && weights.is_brief(traits.words);
    // Between friends, what one tells the other to do is ordinary talk.
    let to_assistant = hit.speaker.is_none_or(|speaker| query.roles.persons.contains(&speaker));
    let is_directive = traits.directs && to_assistant && f64::from(traits.words) <= weights.directive_words;
    let words = f64::from(traits.words.max(1));
    let length = words / (words + weights.half_length);
    length * if is_question { weights.question } else { 1.0 } * if is_directive { weights.directive } else { 1.0 }
}
