//! What was recalled, on its way out.

use kimberly_core::recall::{Correction, Explanation};
use kimberly_core::usecases::Recalled;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use super::memory;

/// An answer ends before it exceeds this many bytes of content, so that clients with a limit of 4 MB can read it.
pub const MAX_ANSWER_BYTES: usize = 3 * 1024 * 1024;

/// Results for the contract, best first: as many as fit into an answer, at least one if there is one.
pub fn results(user: &UserId, recalled: Vec<Recalled>) -> Result<Vec<v1::QueryResult>> {
    let mut bytes = 0;
    let fits = |one: &Recalled| {
        let first = bytes == 0;
        bytes += 1 + one.memory.draft.content.len() + one.memory.draft.attributes.as_ref().map_or(0, String::len);
        first || bytes <= MAX_ANSWER_BYTES
    };
    recalled.into_iter().take_while(fits).map(|one| result(user, one)).collect()
}

fn result(user: &UserId, recalled: Recalled) -> Result<v1::QueryResult> {
    Ok(v1::QueryResult {
        memory: Some(memory::memory(user, recalled.memory)?),
        score: recalled.score,
        explanation: recalled.explanation.map(explanation),
    })
}

fn explanation(parts: Explanation) -> v1::RecallExplanation {
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
    }
}

/// A corrected word for the contract.
pub fn correction(correction: Correction) -> v1::Correction {
    v1::Correction { word: correction.word, replacements: correction.replacements }
}
