//! Relevance: an estimate in [0, 1] that means the same for every query and user.
//!
//! The final score only orders one answer: its `semantic` is a share of the best candidate's, so even the query "the is
//! my" has a best result. BM25 does not compare across queries either, because it depends on how rare words are in a
//! vault. The share of the query's words that a memory holds does compare. Its meaning was fitted on the development
//! splits of three styles of conversation, to tell the best result of questions to the right user from that of the same
//! questions to another user. Half of the words is a coin toss, all of them is .99.

use super::explain::FoundBy;
use super::explain::Ranked;
use super::typos::Correction;
use crate::recall::Weights;
use crate::recall::analysis::{Analysis, Term};
use crate::recall::held::{self, Wanted, comparable, held};
use crate::text::lists::{is_stop_word, is_time_word};

/// Relevance below which nothing in an answer is relevant.
pub const NOTHING_BELOW: f64 = 0.2;

/// The logistic curve: its steepness in the share of words held, and the share at which it is a half.
const STEEPNESS: f64 = 8.0;
const MIDDLE: f64 = 0.46;
/// The share that counts for a word that is held within another word.
const WITHIN_WORD: f64 = 0.4;
/// The share that counts for words without a topic, if the query has no others.
const STOP_WORD: f64 = 0.3;
/// The most relevance of a memory that neighbours speak for, as a share of the best one's.
const LENT: f64 = 0.8;
/// Strength by a vector, in units of BM25, that is worth a little less than two thirds.
const NEAR: f64 = 6.0;

/// Estimates the relevance of results with their contents, in their order.
pub fn estimate(results: &[(&Ranked, &str)], query: &Analysis, corrections: &[Correction]) -> Vec<f64> {
    let wanted = held::wanted(query, corrections);
    let own: Vec<f64> = results.iter().map(|(one, content)| by_words(one, content, query, &wanted)).collect();
    let best = own.iter().copied().fold(0.0, f64::max);
    let with_others = |((one, _), own): (&(&Ranked, &str), f64)| own.max(lent(one, best)).max(by_vector(one));
    results.iter().zip(own).map(with_others).collect()
}

fn by_words(one: &Ranked, content: &str, query: &Analysis, wanted: &[Wanted<'_>]) -> f64 {
    if wanted.is_empty() {
        return curve(if one.parts.found_by.holds(FoundBy::SUBSTRING) { 1.0 } else { 0.0 });
    }
    let fits_time = one.parts.time_boost > 1.0 || one.parts.found_by.holds(FoundBy::TIME);
    let held = held(content, wanted);
    let of_term = |(one_wanted, held): (&Wanted<'_>, bool)| {
        if held || (fits_time && is_time_word(&one_wanted.term.folded)) {
            1.0
        } else if one.parts.found_by.holds(FoundBy::SUBSTRING) {
            within_words(content, one_wanted.term)
        } else {
            0.0
        }
    };
    let mut sum: f64 = wanted.iter().zip(held).map(of_term).sum();
    let mut count = count(wanted.len());
    if !query.who.is_empty() {
        // A named speaker counts like a word that is held.
        count += 1.0;
        sum += f64::from(u8::from(one.parts.speaker_boost >= Weights::FITTED.speaker));
    }
    let says_nothing = query.who.is_empty() && wanted.iter().all(|one| is_stop_word(&one.term.folded));
    curve(sum / count * if says_nothing { STOP_WORD } else { 1.0 })
}

/// Returns the value of a term within other words, or in scripts without spaces the share of its character pairs.
fn within_words(content: &str, term: &Term) -> f64 {
    let (content, pieces) = (comparable(content), held::pieces(term));
    let found = pieces.iter().filter(|piece| content.contains(piece.as_str())).count();
    count(found) / count(pieces.len().max(1)) * if term.is_unparted() { 1.0 } else { WITHIN_WORD }
}

/// Returns the relevance derived from others of its session.
fn lent(one: &Ranked, best: f64) -> f64 {
    let parts = &one.parts;
    let strength = parts.lexical + parts.context;
    if strength > 0.0 { LENT * best * parts.share * parts.context / strength } else { 0.0 }
}

fn by_vector(one: &Ranked) -> f64 {
    if one.parts.found_by.holds(FoundBy::VECTOR) { 1.0 - libm::exp(-one.parts.vector / NEAR) } else { 0.0 }
}

fn curve(share: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-STEEPNESS * (share - MIDDLE)))
}

#[expect(clippy::cast_precision_loss, reason = "at most MAX_TERMS")]
fn count(n: usize) -> f64 {
    n as f64
}
