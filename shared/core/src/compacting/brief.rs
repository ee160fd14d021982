//! A text in two or three of its sentences (Y-5).

use std::borrow::Cow;

use super::Spoken;
use super::sentence::{self, Sentence};
use super::summarize::best;

/// Sentences of a brief.
const SENTENCES: usize = 3;
/// Bytes of a brief, where it is not one sentence that has more.
const MOST: usize = 500;
/// Bytes of what begins a text that has no sentence, such as code.
const BEGINNING: usize = 200;

/// The sentences of a text that carry most, word for word and in their order.
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
