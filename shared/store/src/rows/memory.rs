//! Column formats that only memories have.

use std::collections::HashMap;

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{Feedback, Memory};
use kimberly_core::text::TextTraits;

use crate::corrupt;
use crate::sealed::Seals;

const THUMBS_UP: i64 = 1_000;
const THUMBS_DOWN: i64 = 1_001;

/// Opens a sealed text.
pub(crate) fn opened(seals: Option<&Seals>, id: MemoryId, name: &'static str, sealed: &[u8]) -> Result<String> {
    let seals = seals.ok_or_else(|| corrupt("a memory is sealed where nothing is ever sealed"))?;
    seals.open(id, name, sealed)
}

/// Decodes traits from their two columns.
pub(crate) fn traits(bits: i64, words: i64) -> TextTraits {
    TextTraits::from_bits(u8::try_from(bits & 0xff).unwrap_or_default(), u32::try_from(words).unwrap_or(u32::MAX))
}

/// Orders memories like the requested numbers; missing ones are omitted.
pub(crate) fn in_order(seqs: &[Seq], found: Vec<Memory>) -> Vec<Memory> {
    let mut found: HashMap<Seq, Memory> = found.into_iter().map(|memory| (memory.seq, memory)).collect();
    let mut ordered = Vec::with_capacity(found.len());
    for (index, seq) in seqs.iter().enumerate() {
        // A number that is requested twice is returned twice.
        let again = seqs[index + 1..].contains(seq);
        ordered.extend(if again { found.get(seq).cloned() } else { found.remove(seq) });
    }
    ordered
}

/// Folds a speaker's name for comparison: ignores case.
pub(crate) fn folded(speaker: &str) -> String {
    speaker.to_lowercase()
}

/// Encodes feedback for its column.
pub(crate) fn feedback_code(feedback: Feedback) -> i64 {
    match feedback {
        Feedback::ThumbsUp => THUMBS_UP,
        Feedback::ThumbsDown => THUMBS_DOWN,
        Feedback::Rating(stars) => i64::from(stars),
    }
}

/// Decodes feedback from its column.
pub(crate) fn feedback_from_code(code: i64) -> Result<Feedback> {
    match code {
        THUMBS_UP => Ok(Feedback::ThumbsUp),
        THUMBS_DOWN => Ok(Feedback::ThumbsDown),
        stars => u8::try_from(stars).map(Feedback::Rating).map_err(|_| corrupt(format!("feedback {stars} is unknown"))),
    }
}

/// Encodes labels as a JSON array; `None` if there are none.
pub(crate) fn labels_json(labels: &[String]) -> Option<String> {
    (!labels.is_empty()).then(|| serde_json::to_string(labels).unwrap_or_default())
}

/// Decodes labels from a JSON array.
pub(crate) fn labels(json: Option<&str>) -> Result<Vec<String>> {
    json.map_or_else(
        || Ok(Vec::new()),
        |json| serde_json::from_str(json).map_err(|_| corrupt("tags or channels are not a JSON array of text")),
    )
}
