//! Words that belong together: quoted parts of a query, chunks such as `E-4711`, and adjacent topics.

use crate::recall::token::Token;
use crate::text::words::{composed, is_unparted, words};

/// Most quoted phrases that count.
const MAX_PHRASES: usize = 8;
/// Most pairs of a query.
const MAX_PAIRS: usize = 12;
/// Longest phrase, in words.
const MAX_PHRASE_WORDS: usize = 32;

/// A quoted part of the query that every result must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phrase {
    /// Adjacent words, as the full-text index finds them.
    Words(Vec<String>),
    /// Text that the index cannot find as words (emoji, scripts without gaps), which is searched verbatim.
    Text(String),
}

/// Returns the quoted parts of `text`, and the rest outside of quotes. A quote that is not closed quotes nothing.
pub(in crate::recall) fn quoted(text: &str) -> (Vec<Phrase>, String) {
    let parts: Vec<&str> = text.split(['"', '“', '”']).collect();
    let mut phrases = Vec::new();
    let mut outside = String::with_capacity(text.len());
    for (index, part) in parts.iter().enumerate() {
        let closed = index + 1 < parts.len();
        if index % 2 == 0 || !closed {
            outside.push_str(part);
            outside.push(' ');
        } else if phrases.len() < MAX_PHRASES {
            phrases.extend(phrase(part));
        }
    }
    (phrases, outside)
}

fn phrase(part: &str) -> Option<Phrase> {
    let part = part.trim();
    let own: Vec<String> = words(part).take(MAX_PHRASE_WORDS).map(str::to_lowercase).collect();
    if !own.is_empty() && !own.iter().any(|word| is_unparted(word)) {
        Some(Phrase::Words(own))
    } else if part.is_empty() {
        None
    } else {
        Some(Phrase::Text(composed(part).into_owned()))
    }
}

/// Returns chunks between white space that hold a digit and several words, such as `E-4711` or `192.168.0.1`: such
/// words tell more together than alone.
pub(in crate::recall) fn joined(text: &str) -> Vec<Vec<String>> {
    text.split_whitespace()
        .filter(|chunk| chunk.contains(|c: char| c.is_ascii_digit()))
        .map(|chunk| words(chunk).take(MAX_PHRASE_WORDS).map(str::to_lowercase).collect::<Vec<_>>())
        .filter(|chunk| chunk.len() > 1)
        .take(MAX_PHRASES)
        .collect()
}

/// Returns pairs of topics with at most one other word between them, each pair once.
pub(in crate::recall) fn pairs(tokens: &[Token<'_>], topics: &[usize]) -> Vec<Vec<String>> {
    let mut pairs: Vec<Vec<String>> = Vec::new();
    for (first, second) in topics.windows(2).map(|two| (two[0], two[1])) {
        let words = [&tokens[first], &tokens[second]];
        let pair = words.map(|token| token.raw.to_lowercase()).to_vec();
        let counts = second - first <= 2 && pair[0] != pair[1] && !words.iter().any(|token| is_unparted(token.raw));
        if counts && pairs.len() < MAX_PAIRS && !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    pairs
}
