//! Splits a sentence into words with their language classes.

use std::ops::Range;

use super::language::{Classes, Language, UNKNOWN};
use crate::text::words::in_word;

/// A word of a sentence, or a part of a contraction.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Byte range in the message.
    pub range: Range<usize>,
    /// Its number in the language, or [`UNKNOWN`].
    pub word: u32,
    /// The classes it belongs to.
    pub classes: Classes,
    /// Whether it begins with a capital letter.
    pub capital: bool,
    /// Whether it begins with a digit.
    pub number: bool,
    /// The strongest mark before it.
    pub before: Before,
}

/// The strongest mark between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Before {
    /// A space, a hyphen or nothing.
    Space,
    /// A quotation mark.
    Quote,
    /// A comma, a colon, a dash, a bracket.
    Pause,
    /// The start or the end of a sentence.
    Stop,
}

impl Token {
    /// Reports whether it is in one of these classes.
    pub(super) const fn is(&self, classes: Classes) -> bool {
        self.classes & classes != 0
    }

    /// Reports whether it is capitalized and matches no list and no ending.
    pub(super) const fn is_name(&self) -> bool {
        self.capital && self.word == UNKNOWN && self.classes == 0
    }
}

/// Splits `text[range]` into words, in order.
pub(super) fn tokens(language: &Language, text: &str, range: Range<usize>, found: &mut Vec<Token>) {
    found.clear();
    let Some(sentence) = text.get(range.clone()) else { return };
    let mut folded = String::new();
    let mut before = Before::Stop;
    let mut chars = sentence.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let starts = in_word(c) || (is_apostrophe(c) && chars.peek().is_some_and(|(_, next)| next.is_alphabetic()));
        if !starts {
            before = before.max(separation(sentence, at, c));
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some(&(next, c)) = chars.peek() {
            let inner = is_apostrophe(c) && sentence[next + c.len_utf8()..].starts_with(char::is_alphabetic);
            let decimal = (c == '.' || c == ',') && is_digit_around(sentence, next);
            if !in_word(c) && !inner && !decimal {
                break;
            }
            end = next + c.len_utf8();
            chars.next();
        }
        push(language, &sentence[at..end], range.start + at, before, &mut folded, found);
        before = Before::Space;
    }
}

/// Adds a word; a contraction or genitive becomes two.
fn push(language: &Language, word: &str, at: usize, before: Before, folded: &mut String, found: &mut Vec<Token>) {
    fold_into(word, folded);
    let capital = word.starts_with(char::is_uppercase);
    let number = word.starts_with(|c: char| c.is_ascii_digit());
    let mut add = |range: Range<usize>, (word, classes): (u32, Classes), capital, before| {
        found.push(Token { range, word, classes, capital, number, before });
    };
    if let Some((first, second, behind)) = language.contraction(folded) {
        let cut = word.char_indices().rev().nth(behind.saturating_sub(1)).map_or(0, |(cut, _)| cut);
        if cut > 0 {
            add(at..at + cut, first, capital, before);
            add(at + cut..at + word.len(), second, false, Before::Space);
        } else {
            add(at..at + word.len(), second, capital, before);
        }
        return;
    }
    let is_genitive = |cut: &usize| *cut > 0 && word[*cut..].chars().count() == 2 && word.ends_with(['s', 'S']);
    if let Some(cut) = word.rfind(is_apostrophe).filter(is_genitive) {
        fold_into(&word[..cut], folded);
        add(at..at + cut, language.word(folded), capital, before);
        add(at + cut..at + word.len(), language.word("'s"), false, Before::Space);
        return;
    }
    add(at..at + word.len(), language.word(folded), capital, before);
}

/// Folds a word for lists: without accents, lower case, with plain apostrophes.
pub(super) fn fold_into(word: &str, folded: &mut String) {
    folded.clear();
    if word.is_ascii() {
        folded.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        folded.push_str(&crate::text::words::fold(word).replace(is_apostrophe, "'"));
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '`')
}

fn is_digit_around(text: &str, at: usize) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    at > 0 && digit(text.as_bytes().get(at - 1)) && digit(text.as_bytes().get(at + 1))
}

/// How strongly a character separates words.
fn separation(text: &str, at: usize, c: char) -> Before {
    let spaced = || text[..at].ends_with(' ') || text[at + c.len_utf8()..].starts_with(' ');
    match c {
        // The day in "am 3. August".
        '.' if at > 0 && text.as_bytes()[at - 1].is_ascii_digit() && text[at + 1..].starts_with(' ') => Before::Space,
        '.' | '!' | '?' | '…' => Before::Stop,
        ',' | ';' | ':' | '(' | ')' | '–' | '—' | '|' | '/' | '*' => Before::Pause,
        '-' if spaced() => Before::Pause,
        '"' | '“' | '”' | '„' | '«' | '»' => Before::Quote,
        _ => Before::Space,
    }
}
