//! Decides whether a word of the vault is what a misspelled word was meant to be.
//!
//! Most words that a vault does not know are spelled correctly and just not in it: "cooking" is not "cooling". So only
//! common mistakes count: a letter left out, added, doubled, or swapped with the next; one vowel for another; a letter
//! for its neighbour on the keyboard. Short words resemble too many others, so only the most certain kinds count for
//! them.

use crate::text::words::stem;

/// Length in characters of the shortest word that may be misspelled.
const MIN_CHARS: usize = 5;
/// From this length on, one vowel may stand for another.
const FOR_VOWEL: usize = 6;
/// From this length on, a letter may stand for its neighbour on the keyboard.
const FOR_KEY: usize = 8;

/// Endings that the index removes.
const ENDINGS: [&str; 8] = ["", "s", "ed", "ing", "e", "y", "ly", "ely"];
/// More than the longest ending that is tried after a stem.
const LONGEST_ENDING: usize = 5;

const KEYBOARD: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// Reports whether a folded word may be misspelled: it is not short, and has no digits.
pub(super) fn may_be_one(folded: &str) -> bool {
    folded.chars().count() >= MIN_CHARS && !folded.contains(char::is_numeric)
}

/// Returns the shortest and longest stem, in characters, that a word may have been meant to have.
pub(super) fn stem_lengths(folded: &str) -> (usize, usize) {
    let chars = folded.chars().count();
    let shortest = stem(folded).chars().count().min(chars).saturating_sub(LONGEST_ENDING).max(3);
    (shortest, chars + 2)
}

/// A word that the vault does not know.
pub(super) struct Misspelled {
    word: Vec<char>,
    undoubled: Vec<char>,
    /// The ending that the stemmer removes.
    ending: String,
}

impl Misspelled {
    pub(super) fn new(folded: &str) -> Self {
        let ending = folded.strip_prefix(&stem(folded)).unwrap_or("").to_owned();
        let word = chars(folded);
        Self { undoubled: undoubled(&word).collect(), word, ending }
    }

    /// Returns how unlikely it is that a word with this stem of the index was meant, from 0; `None` if impossible. An
    /// estimate, as the ending is not known.
    pub(super) fn unlikeliness_of_stem(&self, stem: &str) -> Option<u8> {
        let plain = stem.strip_suffix('i');
        let mut meant: Vec<char> = Vec::with_capacity(self.word.len() + LONGEST_ENDING);
        let mut least = None;
        for start in [Some(stem), plain].into_iter().flatten() {
            for ending in ENDINGS.iter().copied().chain([self.ending.as_str()]) {
                meant.clear();
                meant.extend(start.chars().chain(ending.chars()));
                least = least.into_iter().chain(self.unlikeliness(&meant)).min();
            }
        }
        least
    }

    /// Returns how unlikely it is that this folded word, or another form of it, was meant; `None` if nearly impossible.
    pub(super) fn unlikeliness_of_word(&self, word: &str) -> Option<u8> {
        let with_ending = if self.ending.is_empty() { None } else { Some(format!("{}{}", stem(word), self.ending)) };
        let other_form = with_ending.and_then(|other| self.unlikeliness(&chars(&other)));
        self.unlikeliness(&chars(word)).into_iter().chain(other_form).min()
    }

    fn unlikeliness(&self, meant: &[char]) -> Option<u8> {
        if undoubled(meant).eq(self.undoubled.iter().copied()) { Some(0) } else { mistake(&self.word, meant) }
    }
}

fn chars(word: &str) -> Vec<char> {
    word.chars().collect()
}

/// Reduces each run of the same letter to one: doubling is the most common mistake.
fn undoubled(word: &[char]) -> impl Iterator<Item = char> {
    word.chunk_by(|a, b| a == b).filter_map(|run| run.first().copied())
}

/// Returns how unlikely the mistake is that turned `meant` into `word`; `None` if it is not a common one.
fn mistake(word: &[char], meant: &[char]) -> Option<u8> {
    let same_start = word.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let (word_rest, meant_rest) = (&word[same_start..], &meant[same_start..]);
    let same_end = word_rest.iter().rev().zip(meant_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&word_rest[..word_rest.len() - same_end], &meant_rest[..meant_rest.len() - same_end]) {
        ([a, b], [c, d]) if a == d && b == c => Some(1),
        ([_], []) | ([], [_]) => Some(2),
        ([a], [b]) if is_likely(*a, *b, word.len()) => Some(3),
        _ => None,
    }
}

fn is_likely(written: char, meant: char, chars: usize) -> bool {
    if is_vowel(written) && is_vowel(meant) {
        return chars >= FOR_VOWEL;
    }
    match (key(written), key(meant)) {
        (Some((row, x)), Some((other_row, other_x))) => {
            chars >= FOR_KEY && row.abs_diff(other_row) <= 1 && x.abs_diff(other_x) <= 2
        }
        (None, None) => true,
        _ => false,
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// Returns the row of a letter on the keyboard, and its position in half keys from the left.
fn key(c: char) -> Option<(usize, usize)> {
    KEYBOARD.iter().enumerate().find_map(|(row, keys)| Some((row, 2 * keys.find(c)? + row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_mean(word: &str, stem: &str) -> bool {
        Misspelled::new(word).unlikeliness_of_stem(stem).is_some()
    }

    fn means(word: &str, other: &str) -> bool {
        Misspelled::new(word).unlikeliness_of_word(other).is_some()
    }

    #[test]
    fn common_mistakes_are_seen_through() {
        for (word, stem, meant) in [
            ("restuarant", "restaur", "restaurants"),
            ("recieved", "receiv", "received"),
            ("accomodation", "accommod", "accommodation"),
            ("tommorow", "tomorrow", "tomorrow"),
            ("seperate", "separ", "separate"),
            ("definately", "definit", "definitely"),
            ("paintng", "paint", "painting"),
            ("runing", "run", "running"),
            ("guitr", "guitar", "guitar"),
            ("guitrs", "guitar", "guitar"),
            ("hapyp", "happi", "happy"),
            ("enviroment", "environ", "environment"),
            ("wendesday", "wednesdai", "wednesday"),
            ("calender", "calendar", "calendar"),
            ("diagnosys", "diagnosi", "diagnosis"),
            ("бабшука", "бабушка", "бабушка"),
        ] {
            assert!(may_mean(word, stem), "{word} for {stem}");
            assert!(means(word, meant), "{word} for {meant}");
        }
    }

    #[test]
    fn other_words_are_left_alone() {
        for (word, other) in [
            ("cooking", "cool"),
            ("march", "match"),
            ("november", "novel"),
            ("according", "accident"),
            ("regarding", "rewarding"),
            ("father", "faith"),
            ("guitar", "gutter"),
            ("intention", "intense"),
            ("state", "start"),
            ("career", "care"),
            ("political", "palette"),
            ("mother", "months"),
            ("event", "eventually"),
        ] {
            assert!(!means(word, other), "{word} for {other}");
        }
    }

    #[test]
    fn short_words_and_numbers_are_never_misspelled() {
        assert!(may_be_one("guitr") && !may_be_one("cats") && !may_be_one("e4711x"));
    }
}
