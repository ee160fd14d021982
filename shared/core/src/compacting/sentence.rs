//! Sentences that a summary may take.

use std::collections::BTreeSet;

use super::Spoken;
use crate::extraction::secrets;
use crate::text::lists::is_stop_word;
use crate::text::sentences;
use crate::text::words::{fold, is_unparted, stem, words};

/// Longest piece of a text that is one sentence, in bytes.
const LONGEST: usize = 400;
/// A sentence of fewer words says little by itself.
const FEWEST_WORDS: usize = 3;
/// What begins and ends a block of code.
const FENCE: &str = "```";

/// A sentence.
#[derive(Clone, Debug)]
pub(super) struct Sentence<'t> {
    /// Which of those who spoke said it.
    pub(super) turn: usize,
    /// Its place among the sentences of the same, from 0 on.
    pub(super) place: usize,
    /// Its words, on one line.
    pub(super) text: &'t str,
    /// Stems of the words that carry a topic.
    pub(super) topics: BTreeSet<String>,
}

/// The sentences of what was said, in order, without code, secrets and what is too short to say anything.
pub(super) fn of<'t>(said: &[Spoken<'t>]) -> Vec<Sentence<'t>> {
    said.iter().enumerate().flat_map(|(turn, one)| of_turn(turn, one.text)).collect()
}

fn of_turn(turn: usize, text: &str) -> Vec<Sentence<'_>> {
    let (mut found, mut in_code) = (Vec::new(), false);
    for range in sentences::of(text, LONGEST) {
        let text = &text[range];
        if text.starts_with(FENCE) {
            in_code = !in_code;
            continue;
        }
        let says = words(text).count() >= FEWEST_WORDS || is_unparted(text);
        if !in_code && says && secrets(text).is_empty() {
            found.push(Sentence { turn, place: found.len(), text, topics: topics(text) });
        }
    }
    found
}

fn topics(text: &str) -> BTreeSet<String> {
    words(text).map(fold).filter(|word| word.len() > 1 && !is_stop_word(word)).map(|word| stem(&word)).collect()
}
