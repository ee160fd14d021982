//! Shortens a text to two or three of its sentences (Y-5).

use std::borrow::Cow;

use super::Spoken;
use super::sentence::{self, Sentence};
use super::summarize::best;

/// Most sentences of a brief.
const SENTENCES: usize = 3;
/// Most bytes of a brief, unless a single sentence has more.
const MOST: usize = 500;
/// Bytes taken from the start of a text that has no sentence, such as code.
const BEGINNING: usize = 200;

/// Returns the most important sentences of a text, verbatim and in their order.
pub fn brief(text: &str) -> String {
    let lines: Vec<Spoken<'_>> = text.lines().map(said).collect();
    let sentences = sentence::of(&lines);
    let (mut count, mut bytes) = (0, 0);
    let taken = best(&lines, &sentences, |sentence: &Sentence<'_>| {
        let fits = count < SENTENCES && (count == 0 || bytes + sentence.text.len() <= MOST);
        (count, bytes) = if fits { (count + 1, bytes + sentence.text.len()) } else { (count, bytes) };
        fits
    });
    if taken.is_empty() {
        let beginning = text.trim();
        return beginning[..beginning.floor_char_boundary(BEGINNING)].to_owned();
    }
    taken.into_iter().map(|sentence| sentence.text).collect::<Vec<_>>().join(" ")
}

fn said(text: &str) -> Spoken<'_> {
    Spoken { who: Cow::Borrowed(""), text, by_person: true }
}
