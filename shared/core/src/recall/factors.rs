//! What speaks for a candidate besides its words: who says it, when it was, and its form.

use super::analysis::Analysis;
use crate::ports::LexicalHit;

/// For what the speaker named in the query says.
const SPEAKER: f64 = 1.3;
/// For a text that names a time, when the query asks for one.
const TELLS_WHEN: f64 = 1.2;
/// For a text that is little but a question: it rather asks than tells. Only in a session, where something may answer it.
const QUESTION: f64 = 0.75;
/// A text of this many words counts half; of a greeting's three words, half, of twenty, nine tenths.
const HALF_LENGTH: f64 = 3.0;

/// Factors of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factors {
    pub speaker: f64,
    pub time: f64,
    pub form: f64,
}

pub(super) fn of(hit: &LexicalHit, query: &Analysis) -> Factors {
    let said_by_named = hit.speaker.is_some_and(|speaker| query.who.contains(&speaker));
    let tells_when = query.asks_when && hit.traits.names_time;
    let is_question = hit.traits.is_brief_question() && hit.spot.is_some();
    let words = f64::from(hit.traits.words.max(1));
    Factors {
        speaker: if said_by_named { SPEAKER } else { 1.0 },
        time: query.times.factor(hit.occurred_at) * if tells_when { TELLS_WHEN } else { 1.0 },
        form: words / (words + HALF_LENGTH) * if is_question { QUESTION } else { 1.0 },
    }
}
