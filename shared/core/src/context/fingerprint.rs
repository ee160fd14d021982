//! Digests of the sentences that were handed out, to recognize them when they come back, without storing their text.

use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::text::sentences as cut;
use crate::text::words::{fold, is_unparted, words};

/// The stored digest of a sentence.
pub type Digest = [u8; 16];

/// Shorter sentences could be by anyone: the least words, and the least characters of those words.
const FEWEST_WORDS: usize = 3;
const FEWEST_CHARS: usize = 12;
/// Longest piece of a text that is compared as a whole, in bytes.
const LONGEST: usize = 1_000;
/// Quotation marks.
const QUOTES: [char; 5] = ['"', '“', '”', '„', '«'];

/// Makes digests with a key of the installation, for one user, so that no other installation can make them.
#[derive(Clone)]
pub struct Fingerprints {
    hasher: Sha256,
}

impl std::fmt::Debug for Fingerprints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fingerprints")
    }
}

/// A sentence of a text, the part after a colon in one, or a quote in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its byte range in the text.
    pub range: Range<usize>,
    /// Its words, folded, and joined by single spaces.
    pub words: String,
}

impl Fingerprints {
    /// Creates fingerprints with the key of the installation, for a user.
    pub fn new(key: &[u8; 32], user: &str) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(b"kimberly/v1/handed-out\0");
        hasher.update(key);
        hasher.update((user.len() as u64).to_be_bytes());
        hasher.update(user);
        Self { hasher }
    }

    /// Returns the digest of a sentence.
    pub fn of(&self, sentence: &Sentence) -> Digest {
        cut_short(self.hasher.clone().chain_update(&sentence.words))
    }

    /// Returns the digest of a list of texts. Different splits of the same text differ.
    pub fn of_parts(&self, parts: &[&str]) -> Digest {
        let mut hasher = self.hasher.clone();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        cut_short(hasher)
    }
}

fn cut_short(hasher: Sha256) -> Digest {
    let mut digest = [0; 16];
    digest.copy_from_slice(&hasher.finalize()[..16]);
    digest
}

/// Returns the sentences of a text that are long enough to be distinctive, and what they quote or introduce.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for range in cut::of(text, LONGEST) {
        push(&mut found, text, range.clone());
        let sentence = &text[range.clone()];
        if let Some(lead) = sentence.find(": ") {
            push(&mut found, text, range.start + lead + 2..range.end);
        }
        let mut quotes = sentence.char_indices().filter(|(_, c)| QUOTES.contains(c) || *c == '»');
        while let (Some((from, opening)), Some((to, _))) = (quotes.next(), quotes.next()) {
            push(&mut found, text, range.start + from + opening.len_utf8()..range.start + to);
        }
    }
    found
}

fn push(found: &mut Vec<Sentence>, text: &str, range: Range<usize>) {
    let mut said: Vec<String> = words(&text[range.clone()]).map(fold).collect();
    // The number of a list item is not part of the sentence.
    if said.first().is_some_and(|word| word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit())) {
        said.remove(0);
    }
    let words = said.join(" ");
    let (fewest, shortest) = if is_unparted(&words) { (1, FEWEST_CHARS / 2) } else { (FEWEST_WORDS, FEWEST_CHARS) };
    if said.len() >= fewest && words.chars().count() >= shortest {
        found.push(Sentence { range, words });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        sentences(text).into_iter().map(|one| one.words).collect()
    }

    #[test]
    fn sentences_are_the_same_however_they_are_set() {
        let plain = said("Ana moved to Lisbon.");
        assert_eq!(plain, ["ana moved to lisbon"]);
        for other in ["- **Ana** moved to _Lisbon_!", "> ana  moved to Lisbon", "12. Ana moved to Lisbon…"] {
            assert_eq!(said(other), plain, "{other}");
        }
        let led = said("You told me: \"Ana moved to Lisbon.\" Is that so?");
        assert_eq!(led[1..], ["ana moved to lisbon", "ana moved to lisbon"]);
        assert_eq!(said("Yes. I see. Of course!"), Vec::<String>::new());
    }

    #[test]
    fn another_key_or_user_makes_another_digest() {
        let one = sentences("Ana moved to Lisbon.").remove(0);
        let of = |key, user| Fingerprints::new(&[key; 32], user).of(&one);
        assert_eq!(of(1, "ana"), of(1, "ana"));
        assert!(of(1, "ana") != of(2, "ana") && of(1, "ana") != of(1, "bo"));
    }
}
