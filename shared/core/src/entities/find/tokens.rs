//! Splits a text into words with the text before each, in one pass.

use std::ops::Range;

use crate::entities::words::{Words, folded};

/// Characters allowed inside a word.
const INSIDE: [char; 9] = ['\'', '’', '-', '.', '&', '+', '#', '_', '@'];
/// Characters that separate sentences.
const ENDS: [char; 6] = ['.', '!', '?', '…', ':', ';'];

/// A word of a text.
#[derive(Clone, Debug)]
pub(in crate::entities) struct Token {
    /// Byte range, without a genitive ending.
    pub(in crate::entities) span: Range<usize>,
    /// The folded word.
    pub(in crate::entities) folded: String,
    /// Whether it is a genitive.
    pub(in crate::entities) genitive: bool,
    /// Number of its sentence.
    pub(in crate::entities) sentence: u32,
    /// Whether it is the first word of its sentence.
    pub(in crate::entities) first: bool,
    /// The text between it and the previous word.
    pub(in crate::entities) gap: Range<usize>,
}

/// Reports whether a text begins with a capital.
pub(in crate::entities) fn is_capital(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_uppercase)
}

/// Such as `j` and `j.k`.
pub(super) fn is_initials(folded: &str) -> bool {
    folded.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic))
}

/// The words of a text, except those in code blocks.
pub(in crate::entities) fn tokens(text: &str, words: &Words) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    let (mut end, mut sentence) = (0, 0);
    for span in spans(text) {
        let gap = end..span.start;
        let between = text.get(gap.clone()).unwrap_or_default();
        let begins = all.last().is_none_or(|before| ends(between, before, words));
        if begins && !all.is_empty() {
            sentence += 1;
        }
        let first = begins || between.ends_with(['"', '“', '*', '#', '[']);
        let (span, genitive, next) = without_genitive(text, span);
        end = next;
        let folded = folded(text.get(span.clone()).unwrap_or_default());
        all.push(Token { span, folded, genitive, sentence, first, gap });
    }
    all
}

/// Reports whether a sentence ends after a word. A full stop after a title or an initial does not end one.
fn ends(between: &str, before: &Token, words: &Words) -> bool {
    let shortened = words.is("title", &before.folded) || is_initials(&before.folded);
    between.contains('\n') || between.chars().any(|c| ENDS.contains(&c) && !(c == '.' && shortened))
}

fn without_genitive(text: &str, span: Range<usize>) -> (Range<usize>, bool, usize) {
    let word = text.get(span.clone()).unwrap_or_default();
    let end = ["'s", "’s", "'S", "’S"].into_iter().find_map(|end| word.strip_suffix(end));
    let cut = end.map_or(word.len(), str::len);
    (span.start..span.start + cut, end.is_some(), span.end)
}

/// Byte ranges of words.
fn spans(text: &str) -> Vec<Range<usize>> {
    let (mut all, mut start, mut fenced) = (Vec::new(), None, false);
    let mut chars = text.char_indices().peekable();
    let mut skip = 0;
    while let Some((at, c)) = chars.next() {
        if at < skip {
            continue;
        }
        if text.get(at..).is_some_and(|rest| rest.starts_with("```")) {
            fenced = !fenced;
            skip = at + 3;
            push(&mut all, text, start.take(), at);
            continue;
        }
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let goes_on = start.is_some() && INSIDE.contains(&c) && (next.is_alphanumeric() || matches!(c, '+' | '#'));
        if !fenced && (c.is_alphanumeric() || goes_on) {
            start.get_or_insert(at);
        } else {
            push(&mut all, text, start.take(), at);
        }
    }
    push(&mut all, text, start, text.len());
    all
}

fn push(all: &mut Vec<Range<usize>>, text: &str, start: Option<usize>, end: usize) {
    let Some(start) = start else { return };
    let word = text.get(start..end).unwrap_or_default();
    let kept = word.trim_end_matches(['#', '-', '.', '_']).len();
    if kept > 0 {
        all.push(start..start + kept);
    }
}
