//! Finds the clauses of a sentence that may state something, and their ends.

use super::language::Language;
use super::tokens::{Before, Token};

/// The part of a sentence that states something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stated {
    /// Index of its first word, after fillers.
    pub from: usize,
    /// Index after its last word.
    pub to: usize,
}

/// Fewest words of a statement.
const FEWEST: usize = 3;

/// The part that a sentence states before it asks; `None` if it only asks.
pub(super) fn stated(language: &Language, tokens: &[Token], asks: bool) -> Option<Stated> {
    let from = opening(language, tokens, 0);
    let is_asking = |at: usize| asks_at(language, tokens, at);
    if is_asking(from) && (asks || !is_statement_after_all(language, tokens, from)) {
        return None;
    }
    let starts = |at: &usize| tokens[*at].before >= Before::Pause || tokens[*at - 1].is(language.known().conj);
    // "…, who lives there" is a question only if the sentence is; "…, how can I" always is.
    let inverts = |at: usize| tokens.get(at).is_some_and(|token| token.is(language.known().inverting));
    let parts = |at: usize| is_asking(at) && (asks || inverts(at) || (inverts(at + 1) && is_asking(at + 1)));
    let cut = (from + 1..tokens.len()).filter(starts).find(|at| parts(opening(language, tokens, *at)));
    // "I moved in May, and I wonder who lives there now?": the last clause asks.
    let last = || tokens.iter().rposition(|token| token.before >= Before::Pause).filter(|at| asks && *at > from);
    let Some(mut to) = cut.or_else(last) else {
        return (!asks && tokens.len() > from).then_some(Stated { from, to: tokens.len() });
    };
    // The conjunction before the question does not belong to the statement.
    while to > from && tokens[to - 1].is(language.known().conj | language.known().filler) {
        to -= 1;
    }
    (to >= from + FEWEST).then_some(Stated { from, to })
}

/// The part stated after a question: "How can I rest, considering I moved in May?"
pub(super) fn aside(language: &Language, tokens: &[Token], asked: usize) -> Option<Stated> {
    let known = language.known();
    let given = (asked..tokens.len()).find(|at| *at > 0 && tokens[*at].is(known.given))?;
    let skipped = known.given | known.opens | known.filler | known.conj;
    let from = (given + 1..tokens.len()).find(|at| !tokens[*at].is(skipped))?;
    let parts =
        |at: &usize| tokens[*at].before >= Before::Pause && asks_at(language, tokens, opening(language, tokens, *at));
    let to = (from + 1..tokens.len()).find(parts).unwrap_or(tokens.len());
    (to >= from + FEWEST).then_some(Stated { from, to })
}

/// The first word from `at` on that is not a filler or conjunction.
pub(super) fn opening(language: &Language, tokens: &[Token], at: usize) -> usize {
    let skipped = language.known().filler | language.known().conj;
    (at..tokens.len()).find(|at| !tokens[*at].is(skipped)).unwrap_or(tokens.len())
}

/// Reports whether a question begins at a word.
fn asks_at(language: &Language, tokens: &[Token], at: usize) -> bool {
    let known = language.known();
    let person = known.first | known.second | known.plural | known.he | known.she;
    let Some(token) = tokens.get(at) else { return false };
    token.is(known.asking) || (token.is(known.inverting) && tokens.get(at + 1).is_some_and(|next| next.is(person)))
}

/// "What I love is …": a question word followed by a person.
fn is_statement_after_all(language: &Language, tokens: &[Token], at: usize) -> bool {
    let known = language.known();
    !tokens[at].is(known.inverting) && tokens.get(at + 1).is_some_and(|next| next.is(known.first | known.plural))
}

/// Collects the words in `stated` at which a main clause may begin.
pub(super) fn starts(language: &Language, tokens: &[Token], stated: &Stated, found: &mut Vec<usize>) {
    found.clear();
    let known = language.known();
    let mut lead = true;
    for at in stated.from..stated.to {
        let token = &tokens[at];
        let behind = at > stated.from && tokens[at - 1].is(known.conj);
        if lead || behind || token.before >= Before::Pause {
            found.push(at);
        }
        // Times and adverbs may precede the subject: "last week I …".
        lead &= token.is(known.time | known.adv | known.filler | known.conj) || token.number;
    }
}
