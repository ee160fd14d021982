//! Where the clauses of a sentence begin that may state something, and where what it states ends.

use super::language::Language;
use super::tokens::{Before, Token};

/// The part of a sentence that states something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stated {
    /// Its first word, behind words that say nothing.
    pub from: usize,
    /// The word behind its last one.
    pub to: usize,
}

/// Fewest words that state something.
const FEWEST: usize = 3;

/// What a sentence states before it asks; `None` where it only asks.
pub(super) fn stated(language: &Language, tokens: &[Token], asks: bool) -> Option<Stated> {
    let from = opening(language, tokens, 0);
    let is_asking = |at: usize| asks_at(language, tokens, at);
    if is_asking(from) && (asks || !is_statement_after_all(language, tokens, from)) {
        return None;
    }
    let starts = |at: &usize| tokens[*at].before >= Before::Pause || tokens[*at - 1].is(language.known().conj);
    // "…, who lives there" asks nothing unless the sentence does; "…, how can I" does.
    let inverts = |at: usize| tokens.get(at).is_some_and(|token| token.is(language.known().inverting));
    let parts = |at: usize| is_asking(at) && (asks || inverts(at) || (inverts(at + 1) && is_asking(at + 1)));
    let cut = (from + 1..tokens.len()).filter(starts).find(|at| parts(opening(language, tokens, *at)));
    let Some(mut to) = cut else {
        return (!asks && tokens.len() > from).then_some(Stated { from, to: tokens.len() });
    };
    // The word that joins the question to it is no part of it.
    while to > from && tokens[to - 1].is(language.known().conj | language.known().filler) {
        to -= 1;
    }
    (to >= from + FEWEST).then_some(Stated { from, to })
}

/// The first word from `at` on that says something.
fn opening(language: &Language, tokens: &[Token], at: usize) -> usize {
    let skipped = language.known().filler | language.known().conj;
    (at..tokens.len()).find(|at| !tokens[*at].is(skipped)).unwrap_or(tokens.len())
}

/// Whether a question begins with a word.
fn asks_at(language: &Language, tokens: &[Token], at: usize) -> bool {
    let known = language.known();
    let person = known.first | known.second | known.plural | known.he | known.she;
    let Some(token) = tokens.get(at) else { return false };
    token.is(known.asking) || (token.is(known.inverting) && tokens.get(at + 1).is_some_and(|next| next.is(person)))
}

/// "What I love is …": a word that asks, and a person behind it.
fn is_statement_after_all(language: &Language, tokens: &[Token], at: usize) -> bool {
    let known = language.known();
    !tokens[at].is(known.inverting) && tokens.get(at + 1).is_some_and(|next| next.is(known.first | known.plural))
}

/// The words of `stated` with which a clause may begin.
pub(super) fn starts(language: &Language, tokens: &[Token], stated: &Stated, found: &mut Vec<usize>) {
    found.clear();
    let known = language.known();
    let mut lead = true;
    for at in stated.from..stated.to {
        let token = &tokens[at];
        let behind = at > stated.from && tokens[at - 1].is(known.conj);
        if lead || behind || token.before >= Before::Quote {
            found.push(at);
        }
        // Times and adverbs may stand before the subject: "last week I …".
        lead &= token.is(known.time | known.adv | known.filler | known.conj) || token.number;
    }
}
