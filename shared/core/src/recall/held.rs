//! Finds the words of a query that a text holds, by the stems and forms that the words stage searches.

use super::Correction;
use super::analysis::{Analysis, Term};
use super::stages::parts;
use crate::text::words::{composed, fold, stem, words};

/// A query word to look for, with its stems.
pub(super) struct Wanted<'q> {
    pub(super) term: &'q Term,
    stems: Vec<String>,
}

/// Returns the words of a query, with the corrections of misspelled ones.
pub(super) fn wanted<'q>(query: &'q Analysis, corrections: &[Correction]) -> Vec<Wanted<'q>> {
    query.terms.iter().map(|term| Wanted { term, stems: stems(term, corrections) }).collect()
}

fn stems(term: &Term, corrections: &[Correction]) -> Vec<String> {
    forms(term, corrections).map(stem).collect()
}

/// Returns the folded words that stand for a term: itself, its forms, and its corrections.
pub(super) fn forms<'q>(term: &'q Term, corrections: &'q [Correction]) -> impl Iterator<Item = &'q str> {
    let replaced = corrections.iter().filter(|one| one.word == term.raw).flat_map(|one| &one.replacements);
    let own = std::iter::once(term.folded.as_str()).chain(term.forms().iter().copied());
    own.chain(replaced.map(String::as_str))
}

/// Returns which of the words a text holds. First letters rule out most words before stemming.
pub(super) fn held(text: &str, wanted: &[Wanted<'_>]) -> Vec<bool> {
    let mut held = vec![false; wanted.len()];
    for word in words(text) {
        if !wanted.iter().zip(&held).any(|(one, held)| !held && one.stems.iter().any(|stem| may_be(word, stem))) {
            continue;
        }
        let own = stem(&fold(word));
        for (one, held) in wanted.iter().zip(&mut held) {
            *held |= one.stems.contains(&own);
        }
    }
    held
}

/// Reports whether a word may have this stem, by its first two letters ("lying" and "lie" match). A word beyond ASCII
/// always may, because folding changes it in more ways.
fn may_be(word: &str, stem: &str) -> bool {
    let letter = |byte: u8| if byte.eq_ignore_ascii_case(&b'y') { b'i' } else { byte.to_ascii_lowercase() };
    let same = |(a, b): (u8, u8)| letter(a) == letter(b);
    !word.is_ascii() || (stem.is_ascii() && word.bytes().zip(stem.bytes()).take(2).all(same))
}

/// Returns the pieces to search if a word is not held as a whole: pairs of characters in scripts without spaces, else
/// the word itself.
pub(super) fn pieces(term: &Term) -> Vec<String> {
    if !term.is_unparted() {
        return vec![term.folded.clone()];
    }
    let alone = Analysis { terms: vec![term.clone()], ..Analysis::default() };
    parts::of(&alone, &[]).into_iter().map(|part| part.to_lowercase()).collect()
}

/// Normalizes a text in which pieces are searched.
pub(super) fn comparable(text: &str) -> String {
    composed(text).to_lowercase()
}
