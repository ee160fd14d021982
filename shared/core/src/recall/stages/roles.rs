//! The factor for the speaker of a memory.

use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::analysis::Analysis;
use crate::recall::roles::Asked;

/// Returns the factor for the speaker: the one that the query names, and in a chat with an assistant, the one whose
/// words it asks for.
pub(super) fn factor(hit: &LexicalHit, query: &Analysis, weights: &Weights) -> f64 {
    let named = hit.speaker.is_some_and(|speaker| query.who.contains(&speaker));
    let by_assistant = hit.speaker.is_some_and(|speaker| query.roles.assistants.contains(&speaker));
    let role = match query.asked {
        Asked::Person if by_assistant => weights.assistant,
        Asked::Assistant if by_assistant => weights.assistant_asked,
        _ => 1.0,
    };
    role * if named { weights.speaker } else { 1.0 }
}
