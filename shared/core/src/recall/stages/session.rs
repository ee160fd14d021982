//! Finds short-term memories of the active session that match a query (K-1.1).

use crate::ids::Seq;
use crate::memory::{Memory, MemoryFilter};
use crate::recall::analysis::Analysis;
use crate::recall::held::comparable;
use crate::recall::session_cache::SessionMemory;
use crate::text::words::{fold, stem, words};
use crate::time::Timestamp;

/// A short-term memory of the active session that matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionMatch {
    /// Its sequence number.
    pub seq: Seq,
    /// The number of query terms that it holds.
    pub matched: usize,
    /// Its own score.
    pub score: f64,
    /// When it happened.
    pub occurred_at: Timestamp,
}

/// Prepares a memory for the cache.
pub fn prepared(memory: Memory) -> SessionMemory {
    let mut stems: Vec<String> = words(&memory.draft.content).map(|word| stem(&fold(word))).collect();
    stems.sort_unstable();
    stems.dedup();
    SessionMemory { memory, stems }
}

/// Returns memories that pass the filter and hold a term of the query (or a replacement of one) and every quoted
/// phrase. If the query holds no word, returns all that pass and hold the phrases.
pub fn matches<'c>(
    memories: &[SessionMemory],
    query: &Analysis,
    replacements: impl Iterator<Item = &'c str>,
    filter: &MemoryFilter,
) -> Vec<SessionMatch> {
    let mut terms: Vec<Vec<String>> = query
        .terms
        .iter()
        .map(|term| std::iter::once(term.folded.as_str()).chain(term.forms().iter().copied()).map(stem).collect())
        .collect();
    terms.extend(replacements.map(|word| vec![stem(word)]));
    memories
        .iter()
        .filter(|one| filter.passes(&one.memory) && holds_phrases(&one.memory.draft.content, query))
        .map(|one| SessionMatch {
            seq: one.memory.seq,
            matched: terms
                .iter()
                .filter(|forms| forms.iter().any(|form| one.stems.binary_search(form).is_ok()))
                .count(),
            score: one.memory.score,
            occurred_at: one.memory.occurred_at(),
        })
        .filter(|one| one.matched > 0 || query.is_wordless())
        .collect()
}

fn holds_phrases(content: &str, query: &Analysis) -> bool {
    if query.phrases.is_empty() {
        return true;
    }
    let text: Vec<String> = words(content).map(|word| stem(&fold(word))).collect();
    query.text_phrases().all(|phrase| comparable(content).contains(&comparable(phrase)))
        && query.word_phrases().all(|phrase| {
            let phrase: Vec<String> = phrase.iter().map(|word| stem(&fold(word))).collect();
            text.windows(phrase.len()).any(|window| window == phrase)
        })
}
