//! Replaces words that no memory holds by the words of the vault that were probably meant (K-5.2).
//!
//! Only for content words that the index does not know, so that a correctly spelled query never changes.

use std::collections::{BTreeMap, HashSet};

use super::explain::FoundBy;
use crate::recall::analysis::{Analysis, Term};
use crate::recall::mistakes;
use crate::text::words::{fold, stem, words};

/// Most replacements of one word.
const MAX_REPLACEMENTS: usize = 3;
/// Most stems considered as replacements of one word.
const MAX_NEAREST: usize = 6;
/// Most memories read to see the words behind the stems.
pub const MAX_READ: usize = 12;
/// Most words of a query that are corrected.
const MAX_CORRECTED: usize = 4;

/// A word of the query that no memory holds, and what was searched instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The word as written.
    pub word: String,
    /// Replacements that memories within the filter hold, the likeliest first.
    pub replacements: Vec<String>,
}

/// The arguments for `VaultReader::vocabulary`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabularyRange {
    /// First letters to try: the word's first and second, as letters at the start may be swapped, missing or added.
    pub first_letters: Vec<char>,
    /// The shortest and longest stem, in characters.
    pub lengths: (usize, usize),
}

/// Returns the words to pass to `VaultReader::known_words`: each term and its irregular forms, in order.
pub fn words_to_check(query: &Analysis) -> Vec<String> {
    query
        .terms
        .iter()
        .flat_map(|term| {
            std::iter::once(term.raw.to_lowercase()).chain(term.forms().iter().map(|&form| form.to_owned()))
        })
        .collect()
}

/// Returns the terms that are unknown in every form; `known` answers [`words_to_check`].
pub fn unknown_terms<'q>(query: &'q Analysis, known: &[bool]) -> Vec<&'q Term> {
    let mut known = known.iter().copied();
    query
        .terms
        .iter()
        .filter(|term| known.by_ref().take(1 + term.forms().len()).filter(|is| *is).count() == 0)
        .collect()
}

/// Returns the unknown terms that may be misspelled words.
pub fn misspelled<'q>(unknown: &[&'q Term]) -> Vec<&'q Term> {
    let may_be = |term: &&&Term| mistakes::may_be_one(&term.folded) && !term.is_unparted();
    unknown.iter().filter(may_be).take(MAX_CORRECTED).copied().collect()
}

/// Returns which stems of the vault can be near a misspelled word.
pub fn vocabulary_range(term: &Term) -> VocabularyRange {
    let mut first_letters: Vec<char> = term.folded.chars().take(2).collect();
    first_letters.dedup();
    VocabularyRange { first_letters, lengths: mistakes::stem_lengths(&term.folded) }
}

/// Returns the stems of the vault that may be meant, to be [`confirmed`]: the likeliest mistake first, then those held
/// by most memories, then alphabetically.
pub fn nearest(term: &Term, vocabulary: &[(String, u64)]) -> Vec<String> {
    let word = mistakes::Misspelled::new(&term.folded);
    let mut near: Vec<(u8, u64, &str)> = vocabulary
        .iter()
        .filter_map(|(stem, memories)| Some((word.unlikeliness_of_stem(stem)?, *memories, stem.as_str())))
        .collect();
    near.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(b.2)));
    near.into_iter().take(MAX_NEAREST).map(|(_, _, stem)| stem.to_owned()).collect()
}

/// Returns the words that were meant, from memories that hold near stems. Only words with the likeliest mistake are
/// returned, those held most often first, and only one form of each.
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

/// Returns spellings under which a stem of the index may be searched. The index stems its input, and a few stems do not
/// map to themselves. The first spelling that the vault knows is used.
pub fn spellings(stem: &str) -> [String; 4] {
    let ending = |tail: &str| format!("{stem}{tail}");
    let y = stem.strip_suffix('i').map_or_else(|| ending("y"), |start| format!("{start}y"));
    [stem.to_owned(), y, ending("e"), ending("ing")]
}

/// Tells matches of the query's own words from matches of their replacements, by the content.
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
