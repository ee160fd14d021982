//! Converts the results of recall to the contract.

use std::ops::Range;

use kimberly_core::bounds::ABSOLUTE_MAX_CONTENT_BYTES;
use kimberly_core::recall::{Correction, Did, Explanation, Stage};
use kimberly_core::usecases::Recalled;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use super::{document, int32, memory, time};

/// A response ends before it exceeds this many bytes of content, so that clients with a limit of 4 MB can read it.
pub const MAX_ANSWER_BYTES: usize = 3 * 1024 * 1024;

/// Parses the maximum bytes of each result's content. `None` means no maximum.
pub fn max_content_bytes(raw: i32) -> Result<Option<usize>> {
    let most = usize::try_from(raw).ok().filter(|most| *most <= ABSOLUTE_MAX_CONTENT_BYTES).ok_or_else(|| {
        let problem = format!("is {raw}; 1 to {ABSOLUTE_MAX_CONTENT_BYTES} are allowed, and 0 for all of each content");
        Error::invalid("max_content_bytes", problem)
    })?;
    Ok((most > 0).then_some(most))
}

/// Converts results, best first: as many as fit into a response, at least one if there are any.
/// Also returns how many were left out.
pub fn results(
    user: &UserId,
    recalled: Vec<Recalled>,
    max_content_bytes: Option<usize>,
) -> Result<(Vec<v1::QueryResult>, i32)> {
    let (mut bytes, found) = (0, recalled.len());
    let mut results = Vec::with_capacity(found);
    for mut one in recalled {
        let content_cut = max_content_bytes.is_some_and(|most| cut(&mut one.memory.draft.content, most));
        bytes += one.passages.iter().map(|passage| passage.text.len()).sum::<usize>();
        bytes += one.memory.draft.content.len() + one.memory.draft.attributes.as_ref().map_or(0, String::len);
        if bytes > MAX_ANSWER_BYTES && !results.is_empty() {
            break;
        }
        results.push(result(user, one, content_cut)?);
    }
    let left_out = i32::try_from(found - results.len()).unwrap_or(i32::MAX);
    Ok((results, left_out))
}

/// Cuts a text at a character boundary. Returns whether anything was cut.
fn cut(text: &mut String, most: usize) -> bool {
    let longer = text.len() > most;
    text.truncate(text.floor_char_boundary(most));
    longer
}

fn result(user: &UserId, recalled: Recalled, content_cut: bool) -> Result<v1::QueryResult> {
    Ok(v1::QueryResult {
        memory: Some(memory::memory(user, recalled.memory)?),
        score: recalled.score,
        relevance: recalled.relevance,
        explanation: recalled.explanation.map(|parts| explanation(parts, &recalled.parts)),
        content_cut,
        highlights: recalled.highlights.into_iter().map(highlight).collect(),
        passages: recalled.passages.into_iter().map(document::passage).collect(),
        ended_at: recalled.ended_at.map(time::wire_timestamp),
        superseded_by: recalled.superseded_by.map(|id| id.to_string()).unwrap_or_default(),
    })
}

/// Passages are within the first 64 KiB, so positions fit.
fn highlight(passage: Range<usize>) -> v1::Highlight {
    v1::Highlight { start: int32(passage.start), end: int32(passage.end) }
}

fn explanation(parts: Explanation, by_stage: &[(Stage, f64)]) -> v1::RecallExplanation {
    v1::RecallExplanation {
        lexical: parts.lexical,
        context: parts.context,
        speaker_boost: parts.speaker_boost,
        time_boost: parts.time_boost,
        form_boost: parts.form_boost,
        semantic: parts.semantic,
        memory_score: parts.memory_score,
        freshness_boost: parts.freshness_boost,
        lambda: parts.lambda,
        found_by: parts.found_by.names().into_iter().map(str::to_owned).collect(),
        cosine: parts.cosine.map(f64::from),
        vector: parts.vector,
        vector_context: parts.vector_context,
        fusion: parts.fusion.map(|fusion| fusion.name().to_owned()).unwrap_or_default(),
        parts: by_stage.iter().map(|(stage, part)| (stage.name().to_owned(), *part)).collect(),
    }
}

/// Converts what a stage did to the contract.
pub fn stage(did: Did) -> v1::RecallStage {
    let count = |candidates: usize| i32::try_from(candidates).unwrap_or(i32::MAX);
    let (before, after) = did.candidates;
    v1::RecallStage {
        name: did.stage.name().to_owned(),
        on: did.on,
        candidates_in: count(before),
        candidates_out: count(after),
        note: did.note,
    }
}

/// Converts a corrected word to the contract.
pub fn correction(correction: Correction) -> v1::Correction {
    v1::Correction { word: correction.word, replacements: correction.replacements }
}
