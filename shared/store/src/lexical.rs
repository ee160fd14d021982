//! Semantics of a full-text query on any backend: usable terms, BM25 as FTS5 computes it, and the best hits.

use std::cmp::Ordering;

use kimberly_core::ports::{LexicalHit, LexicalQuery, LexicalTerm};
use kimberly_core::text::bm25::saturation;

/// Rarity of a phrase that at least half of all memories contain.
const LEAST_RARITY: f64 = 1e-6;

/// Returns the usable terms of `any` and of `all`; `None` if the query cannot match anything.
pub(crate) fn usable_terms(query: &LexicalQuery) -> Option<(Vec<&LexicalTerm>, Vec<&LexicalTerm>)> {
    let (any, all) = (usable(&query.any), usable(&query.all));
    // All terms of the query are unusable, or all of `any`.
    let hopeless = any.is_empty() && (!query.any.is_empty() || all.is_empty());
    (!hopeless).then_some((any, all))
}

fn usable(terms: &[LexicalTerm]) -> Vec<&LexicalTerm> {
    terms.iter().filter(|term| is_usable(term)).collect()
}

/// Reports whether a term contains a letter or digit.
pub(crate) fn is_usable(term: &LexicalTerm) -> bool {
    term.words.iter().any(|word| word.chars().any(char::is_alphanumeric))
}

/// BM25 over an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bm25 {
    rows: f64,
    average: f64,
}

#[expect(clippy::cast_precision_loss, reason = "counts of memories and tokens are far below 2^53")]
impl Bm25 {
    /// Creates it for an index with this many memories and tokens.
    pub(crate) fn new(rows: u64, tokens: u64) -> Self {
        Self { rows: rows as f64, average: tokens as f64 / rows as f64 }
    }

    /// Returns the inverse document frequency of a phrase that `holding` memories contain.
    pub(crate) fn rarity(&self, holding: u64) -> f64 {
        let holding = holding as f64;
        let rarity = ((self.rows - holding + 0.5) / (holding + 0.5)).ln();
        // Also catches NaN, which arises where additions of the transaction are counted in only one of the two numbers.
        if rarity > 0.0 { rarity } else { LEAST_RARITY }
    }

    /// Scores a memory of `length` tokens in which the phrases occur `times`. Same order of operations as FTS5, so
    /// bit-identical.
    pub(crate) fn score(&self, length: u64, times: &[u32], rarities: &[f64]) -> f64 {
        let part = |(times, rarity): (&u32, &f64)| rarity * saturation(*times, length as f64, self.average);
        times.iter().zip(rarities).map(part).fold(0.0, |sum, part| sum + part)
    }
}

/// Returns the best hits in descending order; ties are ordered by number.
pub(crate) fn best(mut hits: Vec<LexicalHit>, limit: usize) -> Vec<LexicalHit> {
    let order = |a: &LexicalHit, b: &LexicalHit| -> Ordering { b.bm25.total_cmp(&a.bm25).then(a.seq.cmp(&b.seq)) };
    if limit < hits.len() {
        if limit > 0 {
            hits.select_nth_unstable_by(limit - 1, order);
        }
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(word: &str) -> LexicalTerm {
        LexicalTerm::word(word)
    }

    #[test]
    fn terms_without_letters_or_digits_are_left_out_unless_nothing_else_was_asked_for() {
        let query = |any: &[&str], all: &[&str]| {
            let terms = |words: &[&str]| words.iter().map(|word| term(word)).collect();
            LexicalQuery { any: terms(any), all: terms(all), ..LexicalQuery::default() }
        };
        let counts = |query: &LexicalQuery| usable_terms(query).map(|(any, all)| (any.len(), all.len()));
        assert_eq!(counts(&query(&["tea", "?"], &["!", "2"])), Some((1, 1)));
        assert_eq!(counts(&query(&[], &["tea"])), Some((0, 1)));
        assert_eq!(counts(&query(&["?"], &["tea"])), None);
        assert_eq!(counts(&query(&[], &["?"])), None);
        assert_eq!(counts(&query(&[], &[])), None);
    }

    #[test]
    fn rare_words_in_short_texts_weigh_most_and_nothing_weighs_less_than_nothing() {
        let bm25 = Bm25::new(100, 1_000);
        assert!(bm25.rarity(1) > bm25.rarity(10));
        assert_eq!(bm25.rarity(60).to_bits(), 1e-6_f64.to_bits());
        assert_eq!(Bm25::new(0, 0).rarity(3).to_bits(), 1e-6_f64.to_bits());
        let rarities = [bm25.rarity(3)];
        assert!(bm25.score(5, &[1], &rarities) > bm25.score(50, &[1], &rarities));
        assert!(bm25.score(5, &[2], &rarities) > bm25.score(5, &[1], &rarities));
        assert_eq!(bm25.score(5, &[0], &rarities).to_bits(), 0.0_f64.to_bits());
        // ln(97.5 / 3.5) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 10 / 10))
        assert!((bm25.score(10, &[1], &rarities) - 3.327_089_409_508_433).abs() < 1e-12);
    }
}
