//! What speaks for a candidate besides its words: who says it, when it was, and its form.

use super::Weights;
use super::analysis::Analysis;
use super::roles::Asked;
use crate::ports::LexicalHit;

/// Factors of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factors {
    pub speaker: f64,
    pub time: f64,
    pub form: f64,
}

pub(super) fn of(hit: &LexicalHit, query: &Analysis, weights: &Weights) -> Factors {
    Factors {
        speaker: speaker(hit, query, weights),
        time: query.times.factor(hit.occurred_at)
            * if query.asks_when && hit.traits.names_time { weights.tells_when } else { 1.0 },
        form: form(hit, query, weights),
    }
}

/// By who says it: the one whom the query names, and in a chat with an assistant the one whose words it asks for.
fn speaker(hit: &LexicalHit, query: &Analysis, weights: &Weights) -> f64 {
    let named = hit.speaker.is_some_and(|speaker| query.who.contains(&speaker));
    let by_assistant = hit.speaker.is_some_and(|speaker| query.roles.assistants.contains(&speaker));
    let role = match query.asked {
        Asked::Person if by_assistant => weights.assistant,
        Asked::Assistant if by_assistant => weights.assistant_asked,
        _ => 1.0,
    };
    role * if named { weights.speaker } else { 1.0 }
}

fn form(hit: &LexicalHit, query: &Analysis, weights: &Weights) -> f64 {
    let traits = hit.traits;
    let is_question = traits.is_question && hit.spot.is_some() && weights.is_brief(traits.words);
    // What friends tell each other to do from now on is talk like any other.
    let to_assistant = hit.speaker.is_none_or(|speaker| query.roles.persons.contains(&speaker));
    let is_directive = traits.directs && to_assistant && f64::from(traits.words) <= weights.directive_words;
    let words = f64::from(traits.words.max(1));
    let length = words / (words + weights.half_length);
    length * if is_question { weights.question } else { 1.0 } * if is_directive { weights.directive } else { 1.0 }
}
