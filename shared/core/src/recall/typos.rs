//! Whether a word of the vault is what a misspelled word was meant to be.
//!
//! Most words that a vault does not know are spelled well and just not in it: "cooking" is not "cooling". So only mistakes
//! that people make count: a letter left out, added, doubled, swapped with the next; a vowel for a vowel; a letter for its
//! neighbour on the keyboard. Short words are near too many others and need the surest kinds.

use crate::text::words::stem;

/// Shortest word, in characters, that may be misspelled.
const MIN_CHARS: usize = 4;
/// From this length a letter may be missing or too many, or a letter of a script without keyboard rows be another.
const FOR_LENGTH: usize = 5;
/// From this length a vowel may be another.
const FOR_VOWEL: usize = 6;
/// From this length a letter may be its neighbour on the keyboard, and two vowels may be wrong.
const FOR_KEY: usize = 8;

/// Endings that the index takes off, for mistakes in the ending.
const ENDINGS: [&str; 7] = ["", "s", "ed", "ing", "e", "y", "ly"];
/// More than the longest ending of a stem that is looked for.
const LONGEST_ENDING: usize = 5;

const KEYBOARD: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// Whether a folded word is one that may be misspelled: not short, and letters only.
pub(super) fn may_be_one(folded: &str) -> bool {
    folded.chars().count() >= MIN_CHARS && !folded.contains(char::is_numeric)
}

/// Shortest and longest stem, in characters, that a word may have been meant to have.
pub(super) fn stem_lengths(folded: &str) -> (usize, usize) {
    let chars = folded.chars().count();
    let shortest = stem(folded).chars().count().min(chars).saturating_sub(LONGEST_ENDING).max(3);
    (shortest, chars + 2)
}

/// A word that the vault does not know.
pub(super) struct Misspelled {
    word: Vec<char>,
    undoubled: Vec<char>,
    /// What the stemmer takes off its end.
    ending: String,
}

impl Misspelled {
    pub(super) fn new(folded: &str) -> Self {
        let ending = folded.strip_prefix(&stem(folded)).unwrap_or("").to_owned();
        let word: Vec<char> = folded.chars().collect();
        Self { undoubled: undoubled(&word), word, ending }
    }

    /// How unlikely it is that a word with this stem was meant, from 0; `None` if it hardly can be.
    pub(super) fn unlikeliness(&self, vault_stem: &str) -> Option<u8> {
        let plain = vault_stem.strip_suffix('i').unwrap_or(vault_stem);
        let endings = ENDINGS.iter().copied().chain([self.ending.as_str()]);
        let with_endings = endings.flat_map(|ending| [format!("{vault_stem}{ending}"), format!("{plain}{ending}")]);
        let both = with_endings.flat_map(|meant| {
            let meant: Vec<char> = meant.chars().collect();
            [mistake(&self.word, &meant), mistake(&self.undoubled, &undoubled(&meant))]
        });
        both.flatten().min()
    }
}

/// A word with each run of the same letter as one: doubling is the commonest mistake of all.
fn undoubled(word: &[char]) -> Vec<char> {
    let mut chars = word.to_vec();
    chars.dedup();
    chars
}

/// How unlikely the mistake is that made `word` of `meant`; `None` if it is none of those that count.
fn mistake(word: &[char], meant: &[char]) -> Option<u8> {
    let chars = word.len().min(meant.len());
    if word.len().abs_diff(meant.len()) > 2 || chars + 1 < MIN_CHARS {
        return None;
    }
    let same_start = word.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let (word_rest, meant_rest) = (&word[same_start..], &meant[same_start..]);
    let same_end = word_rest.iter().rev().zip(meant_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    match (&word_rest[..word_rest.len() - same_end], &meant_rest[..meant_rest.len() - same_end]) {
        ([], []) => Some(0),
        ([a, b], [c, d]) if a == d && b == c => Some(1),
        ([_], []) | ([], [_]) if chars >= FOR_LENGTH => Some(2),
        ([], [_]) if chars + 1 >= FOR_LENGTH => Some(2),
        ([a], [b]) if is_likely(*a, *b, chars) => Some(3),
        _ if chars >= FOR_KEY && consonants(word).eq(consonants(meant)) => Some(4),
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
        (None, None) => chars >= FOR_LENGTH,
        _ => false,
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

fn consonants(word: &[char]) -> impl Iterator<Item = &char> {
    word.iter().filter(|c| !is_vowel(**c))
}

/// Row of a letter on the keyboard, and its place in halves of a key from the left.
fn key(c: char) -> Option<(usize, usize)> {
    KEYBOARD.iter().enumerate().find_map(|(row, keys)| Some((row, 2 * keys.find(c)? + row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(word: &str, vault_stem: &str) -> bool {
        Misspelled::new(word).unlikeliness(vault_stem).is_some()
    }

    #[test]
    fn common_mistakes_are_seen_through() {
        for (word, vault_stem) in [
            ("restuarant", "restaur"),
            ("recieved", "receiv"),
            ("accomodation", "accommod"),
            ("tommorow", "tomorrow"),
            ("seperate", "separ"),
            ("definately", "definit"),
            ("paintng", "paint"),
            ("runing", "run"),
            ("guitr", "guitar"),
            ("hkie", "hike"),
            ("hapyp", "happi"),
            ("maintainance", "mainten"),
            ("enviroment", "environ"),
            ("wendesday", "wednesdai"),
            ("calender", "calendar"),
            ("бабшука", "бабушка"),
        ] {
            assert!(meant(word, vault_stem), "{word} for {vault_stem}");
        }
    }

    #[test]
    fn other_words_are_left_alone() {
        for (word, vault_stem) in [
            ("cooking", "cool"),
            ("march", "match"),
            ("type", "top"),
            ("november", "novel"),
            ("according", "accid"),
            ("regarding", "reward"),
            ("father", "faith"),
            ("guitar", "gutter"),
            ("intention", "intens"),
            ("piano", "pi"),
            ("elephant", "eleg"),
            ("mother", "month"),
        ] {
            assert!(!meant(word, vault_stem), "{word} for {vault_stem}");
        }
    }
}
