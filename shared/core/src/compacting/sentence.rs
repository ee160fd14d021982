//! The sentences that a summary may take.

use std::collections::BTreeSet;

use super::Spoken;
use crate::extraction::secrets;
use crate::text::lists::is_stop_word;
use crate::text::sentences;
use crate::text::words::{fold, is_unparted, stem, words};

/// The longest piece of a text that is one sentence, in bytes.
const LONGEST: usize = 400;
/// The fewest words of a sentence; shorter ones say little by themselves.
const FEWEST_WORDS: usize = 3;
/// The line that begins and ends a block of code.
const FENCE: &str = "```";

/// A sentence.
#[derive(Clone, Debug)]
pub(super) struct Sentence<'t> {
    /// The index of the speech that holds it.
    pub(super) turn: usize,
    /// Its position within that speech, from 0.
    pub(super) position: usize,
    /// Its text, on one line.
    pub(super) text: &'t str,
    /// Stems of the words that carry a topic.
    pub(super) topics: BTreeSet<String>,
}

/// Returns the sentences of what was said, in order, without code, secrets and sentences too short to say anything.
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
            found.push(Sentence { turn, position: found.len(), text, topics: topics(text) });
        }
    }
    found
}

fn topics(text: &str) -> BTreeSet<String> {
    words(text).map(fold).filter(|word| word.len() > 1 && !is_stop_word(word)).map(|word| stem(&word)).collect()
}
