//! Searching for parts of text: where the vault does not know a word, it may be part of one; and in scripts that do not
//! part words, parts are all there is to search for.

use super::explain::FoundBy;
use crate::ports::LexicalHit;
use crate::recall::analysis::{Analysis, Term};
use crate::recall::candidates::Found;
use crate::text::words::{composed, is_unparted};

/// Most parts of one query: each is a pass over the vault's texts.
const MAX_PARTS: usize = 12;
/// Shortest part of a word, in characters; shorter ones are in every other text.
const MIN_CHARS: usize = 3;
/// Of a word of English letters alone: shorter ones are within words that have nothing to do with them, as "eat" in "seats".
const MIN_LETTERS: usize = 5;
/// Most memories that a part is looked for in.
pub const MAX_HELD: usize = 100;

/// The parts to look for: words unknown to the vault and not corrected, and every pair of characters of unparted words.
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

/// Runs of characters of unparted scripts and runs of others, such as 東京 and Tower in 東京Tower.
fn runs(word: &str) -> Vec<Vec<char>> {
    let chars: Vec<char> = word.chars().collect();
    chars.chunk_by(|a, b| is_unparted_char(*a) == is_unparted_char(*b)).map(<[char]>::to_vec).collect()
}

/// Each two characters next to each other of an unparted run; other runs as they are.
fn pairs(run: &[char]) -> Vec<String> {
    if run.len() <= 2 || !run.first().is_some_and(|c| is_unparted_char(*c)) {
        return vec![run.iter().collect()];
    }
    run.windows(2).map(|pair| pair.iter().collect()).collect()
}

fn is_unparted_char(c: char) -> bool {
    is_unparted(c.encode_utf8(&mut [0; 4]))
}

/// What was found by parts, with strengths comparable to the BM25 of `best`, the best hit by words (1 if there is none):
/// a part that few memories hold tells more, and a memory that holds all of them is as strong as the best.
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

/// 1 for a part that one memory holds, falling to 0.18 for one that [`MAX_HELD`] hold; 0 for one that none holds.
#[expect(clippy::cast_precision_loss, reason = "at most MAX_HELD")]
fn rarity(memories: usize) -> f64 {
    if memories == 0 { 0.0 } else { 1.0 / (1.0 + libm::log(memories as f64)) }
}
