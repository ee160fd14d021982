//! Searches parts of text. A word that the vault does not know may be part of another word. In scripts without spaces
//! between words, only parts can be searched.

use super::explain::FoundBy;
use crate::ports::LexicalHit;
use crate::recall::analysis::{Analysis, Term};
use crate::recall::candidates::Found;
use crate::text::words::{composed, is_unparted};

/// Most parts of one query, because each needs a pass over the vault's texts.
const MAX_PARTS: usize = 12;
/// Length of the shortest part of a word, in characters; shorter ones occur in every other text.
const MIN_CHARS: usize = 3;
/// The shortest length for a word of English letters only: shorter ones occur within unrelated words, as "eat" in
/// "seats".
const MIN_LETTERS: usize = 5;
/// Most memories that a part is searched in.
pub const MAX_HELD: usize = 100;

/// Returns the parts to search: words unknown to the vault and not corrected, and all pairs of characters of words in
/// scripts without spaces.
pub fn of(query: &Analysis, unknown: &[&Term]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for term in query.terms.iter().filter(|term| term.is_unparted() || unknown.contains(term)) {
        let text = composed(&term.raw);
        if term.is_unparted() {
            runs(&text).into_iter().flat_map(|run| pairs(&run)).for_each(|pair| push(&mut parts, pair));
        } else if text.chars().count() >= shortest(&text) {
            push(&mut parts, text.to_lowercase());
        }
    }
    parts
}

fn shortest(word: &str) -> usize {
    if word.bytes().all(|byte| byte.is_ascii_alphabetic()) { MIN_LETTERS } else { MIN_CHARS }
}

fn push(parts: &mut Vec<String>, part: String) {
    if parts.len() < MAX_PARTS && !parts.contains(&part) {
        parts.push(part);
    }
}

/// Splits a word into runs of scripts without spaces and runs of others, such as 東京 and Tower in 東京Tower.
fn runs(word: &str) -> Vec<Vec<char>> {
    let chars: Vec<char> = word.chars().collect();
    chars.chunk_by(|a, b| is_unparted_char(*a) == is_unparted_char(*b)).map(<[char]>::to_vec).collect()
}

/// Returns the pairs of adjacent characters of a run in a script without spaces; any other run as it is.
fn pairs(run: &[char]) -> Vec<String> {
    if run.len() <= 2 || !run.first().is_some_and(|c| is_unparted_char(*c)) {
        return vec![run.iter().collect()];
    }
    run.windows(2).map(|pair| pair.iter().collect()).collect()
}

fn is_unparted_char(c: char) -> bool {
    is_unparted(c.encode_utf8(&mut [0; 4]))
}

/// Returns memories found by parts, with strengths comparable to the BM25 of `best`, the best hit by words (1 if there
/// is none). A part that few memories hold tells more. A memory that holds all parts is as strong as the best.
pub fn found(held: Vec<Vec<LexicalHit>>, best: f64) -> Vec<Found> {
    let best = if best > 0.0 { best } else { 1.0 };
    let weights: Vec<f64> = held.iter().map(|hits| rarity(hits.len())).collect();
    let all = weights.iter().sum::<f64>().max(1.0);
    held.into_iter()
        .zip(weights)
        .flat_map(|(hits, weight)| hits.into_iter().map(move |hit| (hit, weight)))
        .map(|(hit, weight)| Found::new(hit, best * weight / all, FoundBy::SUBSTRING))
        .collect()
}

/// Returns 1 for a part that one memory holds, falling to 0.18 for one that [`MAX_HELD`] hold; 0 for one that none
/// holds.
#[expect(clippy::cast_precision_loss, reason = "at most MAX_HELD")]
fn rarity(memories: usize) -> f64 {
    if memories == 0 { 0.0 } else { 1.0 / (1.0 + libm::log(memories as f64)) }
}
