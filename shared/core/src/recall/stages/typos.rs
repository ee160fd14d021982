//! Words that no memory holds: the words of the vault that were probably meant (K-5.2).
//!
//! Only for content words that the index does not know, so that a query spelled as the memories are is never disturbed.

use std::collections::{BTreeMap, HashSet};

use super::explain::FoundBy;
use crate::recall::analysis::{Analysis, Term};
use crate::recall::mistakes;
use crate::text::words::{fold, stem, words};

/// Most words that replace one.
const MAX_REPLACEMENTS: usize = 3;
/// Most stems that are looked at as replacements of one word.
const MAX_NEAREST: usize = 6;
/// Most memories that are read to see the words behind the stems.
pub const MAX_READ: usize = 12;
/// Most words of a query that are corrected.
const MAX_CORRECTED: usize = 4;

/// A word of the query that no memory holds, and what was searched instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The word as written.
    pub word: String,
    /// Words that memories within the filter hold, likeliest first.
    pub replacements: Vec<String>,
}

/// What to ask `VaultReader::vocabulary` for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabularyRange {
    /// First letters: the word's first and second, for letters swapped or left out at the start of the vault's word.
    pub first_letters: Vec<char>,
    /// Shortest and longest stem in characters.
    pub lengths: (usize, usize),
}

/// The words to ask `VaultReader::known_words` about: each term and its irregular forms, in order.
pub fn words_to_check(query: &Analysis) -> Vec<String> {
    query
        .terms
        .iter()
        .flat_map(|term| {
            std::iter::once(term.raw.to_lowercase()).chain(term.forms().iter().map(|&form| form.to_owned()))
        })
        .collect()
}

/// The terms of which neither they nor any form is known; `known` answers [`words_to_check`].
pub fn unknown_terms<'q>(query: &'q Analysis, known: &[bool]) -> Vec<&'q Term> {
    let mut known = known.iter().copied();
    query
        .terms
        .iter()
        .filter(|term| known.by_ref().take(1 + term.forms().len()).filter(|is| *is).count() == 0)
        .collect()
}

/// The terms among the unknown ones that may be misspelled words.
pub fn misspelled<'q>(unknown: &[&'q Term]) -> Vec<&'q Term> {
    let may_be = |term: &&&Term| mistakes::may_be_one(&term.folded) && !term.is_unparted();
    unknown.iter().filter(may_be).take(MAX_CORRECTED).copied().collect()
}

/// Which stems of the vault can be near a misspelled word.
pub fn vocabulary_range(term: &Term) -> VocabularyRange {
    let mut first_letters: Vec<char> = term.folded.chars().take(2).collect();
    first_letters.dedup();
    VocabularyRange { first_letters, lengths: mistakes::stem_lengths(&term.folded) }
}

/// The stems of the vault that may be meant, to be [`confirmed`]: likeliest mistake first, then held by most memories, then in order of the
/// alphabet.
pub fn nearest(term: &Term, vocabulary: &[(String, u64)]) -> Vec<String> {
    let word = mistakes::Misspelled::new(&term.folded);
    let mut near: Vec<(u8, u64, &str)> = vocabulary
        .iter()
        .filter_map(|(stem, memories)| Some((word.unlikeliness_of_stem(stem)?, *memories, stem.as_str())))
        .collect();
    near.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(b.2)));
    near.into_iter().take(MAX_NEAREST).map(|(_, _, stem)| stem.to_owned()).collect()
}

/// The words that were meant, out of memories that hold near stems: those that only a likely mistake parts from the word
/// written; likeliest first, then those held most often. All are equally likely, and of each only one form is named.
pub fn confirmed(term: &Term, contents: &[&str]) -> Vec<String> {
    let misspelled = mistakes::Misspelled::new(&term.folded);
    let mut held: BTreeMap<String, usize> = BTreeMap::new();
    for word in contents.iter().flat_map(|content| words(content)) {
        *held.entry(fold(word)).or_default() += 1;
    }
    let mut meant: Vec<(u8, usize, String)> = held
        .into_iter()
        .filter_map(|(word, times)| Some((misspelled.unlikeliness_of_word(&word)?, times, word)))
        .collect();
    meant.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    let likeliest = meant.first().map_or(0, |first| first.0);
    let mut chosen: Vec<String> = Vec::new();
    for (_, _, word) in meant.into_iter().take_while(|(unlikeliness, ..)| *unlikeliness == likeliest) {
        if chosen.len() < MAX_REPLACEMENTS && !chosen.iter().any(|other| stem(other) == stem(&word)) {
            chosen.push(word);
        }
    }
    chosen
}

/// Spellings under which a stem of the index may be searched: the index stems what it is asked, and a few stems do not
/// stay as they are. The first that the vault knows is used.
pub fn spellings(stem: &str) -> [String; 4] {
    let ending = |tail: &str| format!("{stem}{tail}");
    let y = stem.strip_suffix('i').map_or_else(|| ending("y"), |start| format!("{start}y"));
    [stem.to_owned(), y, ending("e"), ending("ing")]
}

/// Tells apart what was found by words of the query and by words that replace them, by looking at the content.
pub fn found_by(by: FoundBy, content: &str, query: &Analysis, corrections: &[Correction]) -> FoundBy {
    if corrections.is_empty() || !by.holds(FoundBy::TERM) {
        return by;
    }
    let held: HashSet<String> = words(content).map(|word| stem(&fold(word))).collect();
    let holds = |word: &str| held.contains(&stem(word));
    let own = query.terms.iter().any(|term| holds(&term.folded) || term.forms().iter().any(|form| holds(form)));
    let replaced = corrections.iter().flat_map(|one| &one.replacements).any(|word| holds(word));
    match (own, replaced) {
        (true, true) => by.and(FoundBy::TYPO),
        (false, true) => by.without(FoundBy::TERM).and(FoundBy::TYPO),
        (_, false) => by,
    }
}
