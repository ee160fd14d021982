//! The parts of a query that are searched in a sentence.

use crate::recall::Correction;
use crate::recall::analysis::Analysis;
use crate::recall::held::{self, Wanted, comparable, held};
use crate::text::lists::is_stop_word;

/// Most needles: the bits of a `u64`.
pub(super) const MAX: usize = 64;

/// Words by their stems, texts to find verbatim, and pieces to find within words if neither is found.
pub struct Needles<'q> {
    words: Vec<Wanted<'q>>,
    texts: Vec<String>,
    within: Vec<String>,
}

impl<'q> Needles<'q> {
    /// Collects the needles of a query. Words without a topic do not count.
    pub fn of(text: &str, query: &'q Analysis, corrections: &[Correction]) -> Self {
        let mut words = held::wanted(query, corrections);
        words.retain(|one| !is_stop_word(&one.term.folded));
        let mut texts: Vec<String> = query.text_phrases().map(comparable).collect();
        if query.is_wordless() {
            texts.push(comparable(text.trim()));
        }
        let (unparted, parted): (Vec<_>, Vec<_>) = words.iter().partition(|one| one.term.is_unparted());
        let within = parted.into_iter().flat_map(|one| held::pieces(one.term)).take(MAX).collect();
        texts.extend(unparted.into_iter().flat_map(|one| held::pieces(one.term)));
        texts.retain(|one| !one.is_empty());
        texts.truncate(MAX.saturating_sub(words.len()));
        Self { words, texts, within }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.texts.is_empty()
    }

    /// Returns the bits of the needles that a sentence holds.
    pub(super) fn held_by(&self, sentence: &str) -> u64 {
        bits(held(sentence, &self.words).into_iter().chain(contained(sentence, &self.texts)))
    }

    /// Returns how many of the needles a text holds.
    pub fn count(&self, text: &str) -> u32 {
        self.held_by(text).count_ones()
    }

    /// Returns the bits of the words that a sentence holds within other words.
    pub(super) fn within(&self, sentence: &str) -> u64 {
        bits(contained(sentence, &self.within).into_iter())
    }
}

fn contained(sentence: &str, texts: &[String]) -> Vec<bool> {
    if texts.is_empty() {
        return Vec::new();
    }
    let sentence = comparable(sentence);
    texts.iter().map(|text| sentence.contains(text.as_str())).collect()
}

fn bits(held: impl Iterator<Item = bool>) -> u64 {
    held.take(MAX).enumerate().fold(0, |bits, (bit, held)| bits | u64::from(held) << bit)
}
