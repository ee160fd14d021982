//! Corrections: whether a sentence is one, what it corrects, and the intended statement if earlier messages contain it.

use super::language::Language;
use super::pronouns::tail;
use super::said::{LONGEST_SENTENCE, Said};
use super::tokens::{Before, Token, tokens};
use crate::text::sentences;

/// Most earlier messages that a correction can refer to.
const REACH: usize = 4;
/// Most bytes read of such a message, from its end.
const READ_BEFORE: usize = 2_000;
/// Most words of a corrected value.
const LONGEST_VALUE: usize = 4;
/// Most words of a sentence that only corrects.
const LONGEST: usize = 12;

/// The values in a correction.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Correction {
    /// The right value, in the words of the sentence.
    pub right: Option<String>,
    /// The wrong value.
    pub wrong: Option<String>,
    /// The right statement, where the sentence has it whole: "My name isn't Sam, it's Pam."
    pub whole: Option<String>,
}

/// Reads a sentence as a correction, if it is one.
pub(super) fn correction(language: &Language, text: &str, words: &[Token]) -> Option<Correction> {
    if let Some(found) = not_it_is(language, text, words).or_else(|| not_but(language, text, words)) {
        return Some(found);
    }
    let known = language.known();
    let says = |token: &Token| token.is(known.correcting) || !token.is(known.filler | known.conj);
    let start = words.iter().position(says)?;
    let opens = words[start].is(known.correcting);
    let copula = words.iter().skip(start + 1).take(3).position(|token| token.is(known.copula))?;
    let rest = &words[(start + copula + 2).min(words.len())..];
    let value = value(language, text, rest);
    (opens && words.len() <= LONGEST && value.is_some()).then_some(Correction { right: value, ..Correction::default() })
}

/// "My name isn't Sam, it's Pam."
fn not_it_is(language: &Language, text: &str, words: &[Token]) -> Option<Correction> {
    let known = language.known();
    let not = words.iter().position(|token| token.is(known.not)).filter(|not| *not > 1)?;
    let subject =
        words[not - 1].is(known.copula).then(|| text.get(words[0].range.start..words[not - 1].range.end))??;
    let behind = &words[not + 1..];
    let pause = behind.iter().position(|token| token.before >= Before::Pause).filter(|pause| *pause > 0)?;
    let (before, after) = behind.split_at(pause);
    let says = after.first().is_some_and(|first| first.is(known.dangling)) && after.len() <= LONGEST_VALUE + 2;
    let right = value(language, text, after.get(2..).filter(|_| says)?)?;
    let wrong = value(language, text, before)?;
    let whole = Some(format!("{subject} {right}."));
    Some(Correction { right: Some(right), wrong: Some(wrong), whole })
}

/// "Not Porto but Lisbon", "it's Lisbon, not Porto".
fn not_but(language: &Language, text: &str, words: &[Token]) -> Option<Correction> {
    let known = language.known();
    let not = words.iter().position(|token| token.is(known.not))?;
    let behind = &words[not + 1..];
    if let Some(but) = behind.iter().take(LONGEST_VALUE + 1).position(|token| token.is(known.but)) {
        let (wrong, right) = (value(language, text, &behind[..but]), value(language, text, &behind[but + 1..]));
        return (wrong.is_some() && right.is_some()).then_some(Correction { right, wrong, whole: None });
    }
    let parted = words[not].before >= Before::Pause && not > 0 && behind.len() <= LONGEST_VALUE;
    let wrong = parted.then(|| value(language, text, behind))??;
    let copula = words[..not].iter().rposition(|token| token.is(known.copula | known.place));
    let right = value(language, text, &words[copula? + 1..not])?;
    Some(Correction { right: Some(right), wrong: Some(wrong), whole: None })
}

/// The first name or number among some words, in full.
fn value(language: &Language, text: &str, words: &[Token]) -> Option<String> {
    let known = language.known();
    let is_value = |token: &Token| {
        (token.capital && !token.is(known.first)) || token.number || token.is(known.month | known.weekday)
    };
    let start = words.iter().take(LONGEST_VALUE).position(is_value)?;
    let run = words[start..].iter().enumerate();
    let end =
        run.take_while(|(index, token)| is_value(token) && (*index == 0 || token.before == Before::Space)).count();
    Some(text.get(words[start].range.start..words[start + end - 1].range.end)?.to_owned())
}

/// The last earlier sentence of the same speaker that contains the wrong value, or exactly one value of the same
/// sort, with the right value put in its place; also returns the wrong value.
pub(super) fn restated(
    language: &Language,
    said: &Said<'_>,
    before: &[Said<'_>],
    correction: &Correction,
) -> Option<(String, String)> {
    let right = correction.right.as_deref()?;
    if let (Some(whole), Some(wrong)) = (&correction.whole, &correction.wrong) {
        return Some((whole.clone(), wrong.clone()));
    }
    let mut words = Vec::new();
    for message in
        before.iter().rev().take(REACH).filter(|message| message.name == said.name && message.role == said.role)
    {
        let content = tail(message.content, READ_BEFORE);
        for range in sentences::of(content, LONGEST_SENTENCE).into_iter().rev() {
            let sentence = content.get(range.clone())?;
            if sentence.ends_with('?') {
                continue;
            }
            tokens(language, content, range, &mut words);
            let wrong = match &correction.wrong {
                Some(wrong) => Some(wrong.clone()).filter(|wrong| sentence.matches(wrong.as_str()).count() == 1),
                None => only_value(language, content, &words, right),
            };
            if let Some(wrong) = wrong.filter(|wrong| wrong != right) {
                return Some((sentence.replacen(wrong.as_str(), right, 1), wrong));
            }
        }
    }
    None
}

/// The only value in a sentence of the same sort as `like`; the first word never counts.
fn only_value(language: &Language, text: &str, words: &[Token], like: &str) -> Option<String> {
    let number = like.starts_with(|c: char| c.is_ascii_digit());
    let is_number = |value: &String| value.starts_with(|c: char| c.is_ascii_digit());
    let values = words.iter().skip(1).filter(|token| token.capital || token.number);
    let values = values.filter_map(|token| value(language, text, std::slice::from_ref(token)));
    let mut found: Vec<String> = values.filter(|value| is_number(value) == number).collect();
    if found.len() == 1 { found.pop() } else { None }
}
