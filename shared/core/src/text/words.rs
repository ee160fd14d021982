//! Words as the full-text index sees them (FTS5 `unicode61`): runs of letters and digits, without marks, lower case.
//!
//! Marks stay inside the run they modify, so that a word in a script with dependent vowels is kept whole; the index
//! splits it in its own way, for texts and queries alike.

use std::borrow::Cow;
use std::cell::RefCell;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The words of a text, unchanged and in order. `Anna's` gives `Anna` and `s`; `snake_case` gives two words.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !in_word(c)).filter(|run| run.chars().any(char::is_alphanumeric))
}

/// Folds a word as the index does: decomposed, marks removed, lower case.
pub fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
}

/// The stem of a folded English word. The index uses the older Porter stemmer: use this one only to compare words with
/// each other, or to guess near a stem of the index.
pub fn stem(folded: &str) -> String {
    thread_local! {
        static ENGLISH: RefCell<Stemmer> = RefCell::new(Stemmer::create(Algorithm::English));
    }
    if folded.is_ascii() { ENGLISH.with_borrow(|english| english.stem(folded).into_owned()) } else { folded.to_owned() }
}

/// Counts the words of a text. Two characters of a script without spaces between words count as one word.
pub fn count(text: &str) -> u32 {
    u32::try_from(words(text).map(count_in).sum::<usize>()).unwrap_or(u32::MAX)
}

/// The number of words that one of [`words`] counts as.
pub(crate) fn count_in(word: &str) -> usize {
    unparted_chars(word).div_ceil(2).max(1)
}

/// Reports whether a word has characters of a script without spaces between words, so that the index stores whole
/// phrases as one word and only parts of them can be searched.
pub fn is_unparted(word: &str) -> bool {
    unparted_chars(word) > 0
}

/// Removes a final part in square brackets: an annotation, such as about an attached picture.
pub fn without_note(text: &str) -> &str {
    let text = text.trim_end();
    match text.strip_suffix(']').and_then(|rest| rest.rfind('[')) {
        Some(start) if start > 0 => text.get(..start).unwrap_or(text).trim_end(),
        _ => text,
    }
}

/// Normalizes `text` to composed form, as people write it; used for substring searches.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

pub(crate) fn in_word(c: char) -> bool {
    c.is_alphanumeric() || (!c.is_ascii() && is_combining_mark(c))
}

fn unparted_chars(word: &str) -> usize {
    if word.is_ascii() { 0 } else { word.chars().filter(|c| is_unparted_char(*c)).count() }
}

/// Thai, Lao, Myanmar, Khmer; Kana; Han with its extensions.
fn is_unparted_char(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9D
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}
