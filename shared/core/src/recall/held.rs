//! Which words of a query a text holds, by the stems and forms that the words' stage searches.

use super::Correction;
use super::analysis::{Analysis, Term};
use super::stages::parts;
use crate::text::words::{composed, fold, stem, words};

/// A word that may be held, by its stems.
pub(super) struct Wanted<'q> {
    pub(super) term: &'q Term,
    stems: Vec<String>,
}

/// The words of a query, with what was searched instead of misspelled ones.
pub(super) fn wanted<'q>(query: &'q Analysis, corrections: &[Correction]) -> Vec<Wanted<'q>> {
    query.terms.iter().map(|term| Wanted { term, stems: stems(term, corrections) }).collect()
}

fn stems(term: &Term, corrections: &[Correction]) -> Vec<String> {
    forms(term, corrections).map(stem).collect()
}

/// The folded words that stand for one: itself, its forms, and what is searched instead of it.
pub(super) fn forms<'q>(term: &'q Term, corrections: &'q [Correction]) -> impl Iterator<Item = &'q str> {
    let replaced = corrections.iter().filter(|one| one.word == term.raw).flat_map(|one| &one.replacements);
    let own = std::iter::once(term.folded.as_str()).chain(term.forms().iter().copied());
    own.chain(replaced.map(String::as_str))
}

/// Which of them a text holds. First letters rule out most words before stemming.
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

/// Whether a word begins as a stem does, "lying" as "lie"; one beyond ASCII may be any, as it is folded in more ways.
fn may_be(word: &str, stem: &str) -> bool {
    let letter = |byte: u8| if byte.eq_ignore_ascii_case(&b'y') { b'i' } else { byte.to_ascii_lowercase() };
    let same = |(a, b): (u8, u8)| letter(a) == letter(b);
    !word.is_ascii() || (stem.is_ascii() && word.bytes().zip(stem.bytes()).take(2).all(same))
}

/// The pieces to look for where a word is not held as such: pairs of characters where words are not parted, else the word.
pub(super) fn pieces(term: &Term) -> Vec<String> {
    if !term.is_unparted() {
        return vec![term.folded.clone()];
    }
    let alone = Analysis { terms: vec![term.clone()], ..Analysis::default() };
    parts::of(&alone, &[]).into_iter().map(|part| part.to_lowercase()).collect()
}

/// A text as pieces are looked for in it.
pub(super) fn comparable(text: &str) -> String {
    composed(text).to_lowercase()
}
