//! Runs of capitalized words, which may be names.

use std::ops::Range;

use super::tokens::{Token, is_capital, is_initials};
use crate::entities::words::Words;
use crate::text::lists::is_stop_word;

/// The words of one possible name, as indices into the text's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether a title precedes it.
    pub(super) titled: bool,
}

/// Most words of a name.
const LONGEST: usize = 6;

impl Run {
    /// Byte range in the text.
    pub(super) fn span(&self, tokens: &[Token]) -> Range<usize> {
        let at = |index: usize| tokens.get(index).map_or(0..0, |token| token.span.clone());
        at(self.from).start..at(self.to.saturating_sub(1)).end
    }

    /// The words of the run.
    pub(super) fn words<'t>(&self, tokens: &'t [Token]) -> &'t [Token] {
        tokens.get(self.from..self.to).unwrap_or_default()
    }

    /// The folded words, separated by one space.
    pub(super) fn folded(&self, tokens: &[Token]) -> String {
        let words: Vec<&str> = self.words(tokens).iter().map(|token| token.folded.as_str()).collect();
        words.join(" ")
    }
}

/// Finds all runs in a text, without words at their ends that are capitalized for another reason.
pub(super) fn runs(text: &str, tokens: &[Token], words: &Words) -> Vec<Run> {
    let (mut all, mut from) = (Vec::new(), 0);
    while let Some(token) = tokens.get(from) {
        if !begins(text, token) {
            from += 1;
            continue;
        }
        let to = end_of(text, tokens, from, words);
        all.extend(trimmed(Run { from, to, titled: false }, tokens, words));
        from = to;
    }
    all
}

fn begins(text: &str, token: &Token) -> bool {
    is_capital(text.get(token.span.clone()).unwrap_or_default()) || is_brand(text, token)
}

/// Such as `iPhone`.
fn is_brand(text: &str, token: &Token) -> bool {
    let mut chars = text.get(token.span.clone()).unwrap_or_default().chars();
    matches!((chars.next(), chars.next()), (Some('i' | 'e'), Some(second)) if second.is_uppercase())
}

/// The index after the last word of the run that begins here.
fn end_of(text: &str, tokens: &[Token], from: usize, words: &Words) -> usize {
    let mut to = from + 1;
    while to < tokens.len() && to - from < LONGEST {
        let Some((before, token)) = tokens.get(to - 1).zip(tokens.get(to)) else { break };
        if !adjoins(text, before, token, words) || before.genitive {
            break;
        }
        if begins(text, token) {
            to += 1;
        } else if let Some(next) = behind_connector(text, tokens, to) {
            to = next;
        } else {
            break;
        }
    }
    to
}

/// Reports whether only a space separates the words, or the full stop of a title or initial.
fn adjoins(text: &str, before: &Token, token: &Token, words: &Words) -> bool {
    let gap = text.get(token.gap.clone()).unwrap_or_default();
    let shortened = words.is("title", &before.folded) || is_initials(&before.folded);
    let plural = before.folded.ends_with('s') && matches!(gap, "' " | "’ ");
    gap == " " || gap == "\u{a0}" || (gap == ". " && shortened) || gap == " & " || plural
}

/// The index after a capitalized word that follows "of", "of the", "de" and the like.
fn behind_connector(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let one = tokens.get(at)?;
    if !matches!(one.folded.as_str(), "of" | "de" | "van" | "von" | "der" | "du" | "la" | "del" | "di" | "the") {
        return None;
    }
    let mut next = at + 1;
    if tokens.get(next).is_some_and(|token| matches!(token.folded.as_str(), "the" | "der" | "la")) {
        next += 1;
    }
    let follows = tokens.get(next).filter(|token| begins(text, token) && !token.first)?;
    (text.get(follows.gap.clone()) == Some(" ")).then_some(next + 1)
}

/// Trims words that are not part of the name; `None` if nothing is left. An entry of a list stays whole.
fn trimmed(mut run: Run, tokens: &[Token], words: &Words) -> Option<Run> {
    if run.to - run.from > 1 && words.known(&run.folded(tokens), false).is_some() {
        return Some(run);
    }
    while let Some(first) = run.words(tokens).first() {
        let second = tokens.get(run.from + 1).map_or("", |token| token.folded.as_str());
        let title = words.is("title", &first.folded) && second != "of";
        let many = run.to - run.from > 1;
        // Within a sentence a capitalized article is part of the name.
        if many && !first.first && matches!(first.folded.as_str(), "the" | "a") {
            break;
        }
        if title && many {
            run.titled = true;
        } else if !(drops(first, words) || (first.first && many && leads(&run, tokens, words))) {
            break;
        }
        run.from += 1;
    }
    while run.words(tokens).last().is_some_and(|last| is_stop_word(&last.folded) || is_contracted(last)) {
        run.to -= 1;
    }
    (run.from < run.to).then_some(run)
}

/// Reports whether a word at the start of a run cannot be part of a name.
fn drops(token: &Token, words: &Words) -> bool {
    let name = words.is("given", &token.folded) && !token.first;
    let month = matches!(token.folded.as_str(), "april" | "may" | "june");
    let never = words.is("never", &token.folded) || is_stop_word(&token.folded) || is_contracted(token);
    (never && (month || !name)) || token.folded.chars().all(|c| !c.is_alphabetic()) || token.folded.len() < 2
}

/// Such as `I'm` and `Let's`, but not `O'Neil`.
fn is_contracted(token: &Token) -> bool {
    token.folded.contains('\'') && !token.folded.starts_with("o'") && !token.folded.starts_with("d'")
}

/// Reports whether a sentence's first word merely precedes a name that is known without it.
fn leads(run: &Run, tokens: &[Token], words: &Words) -> bool {
    let rest = Run { from: run.from + 1, ..run.clone() };
    let first = run.words(tokens).first().map(|token| token.folded.as_str()).unwrap_or_default();
    let second = rest.words(tokens).first().map(|token| token.folded.as_str()).unwrap_or_default();
    let known = words.known(&rest.folded(tokens), false).is_some() || words.is("given", second);
    known && !words.is("given", first) && words.kind("begins", first).is_none()
}
