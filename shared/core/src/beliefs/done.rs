//! Claims about what was done and what never was.

use std::collections::BTreeSet;

use super::claim::{Claim, Says};
use super::sentence::{Start, Token};
use super::words::Words;
use crate::text::words::stem;

/// Finds a claim that something was done or never done.
pub(super) fn done(language: &Words, tokens: &[Token<'_>], start: &Start) -> Vec<Claim> {
    let rest = tokens.get(start.at..).unwrap_or_default();
    let helps = |token: &Token<'_>| language.is_any(&["adverb", "also", "perfect", "progressive", "past"], &token.word);
    let at = rest.iter().take_while(|token| helps(token)).count();
    let (before, behind) = rest.split_at(at);
    let Some((first, object)) = behind.split_first() else { return Vec::new() };
    let has = |class: &str| before.iter().any(|token| language.is(class, &token.word));
    if language.is("never", &first.word) {
        return if has("perfect") { never(language, object, &start.subject) } else { Vec::new() };
    }
    let verb = |token: &Token<'_>, going: bool| language.verb(&token.word, going);
    let obliged = has("past") && before.last().is_some_and(|token| token.word == "to");
    let bare = || obliged.then(|| verb(&Token::past(first), false)).flatten();
    let found = verb(first, has("progressive")).or_else(bare);
    let denied = |token: &Token<'_>| language.is("not", &token.word);
    let sure = !tokens.iter().any(denied);
    match found.filter(|_| sure) {
        Some(verb) => {
            let words = content_words(language, tokens);
            vec![Claim { key: format!("{}\0did\0{verb}", start.subject), says: Says::Did(words) }]
        }
        None => Vec::new(),
    }
}

/// Finds the claims of "never done this or that, or done those".
fn never(language: &Words, rest: &[Token<'_>], who: &str) -> Vec<Claim> {
    let end = rest.iter().position(|token| language.is("clause", &token.word)).unwrap_or(rest.len());
    let rest = rest.get(..end).unwrap_or_default();
    if rest.iter().any(|token| language.is("bounds", &token.word)) {
        return Vec::new();
    }
    let (mut claims, mut verb, mut waiting) = (Vec::new(), None, Vec::new());
    for part in rest.split(|token| language.is("or", &token.word)) {
        let skipped = part.iter().take_while(|token| language.is("adverb", &token.word)).count();
        let part = part.get(skipped..).unwrap_or_default();
        let found = part.first().and_then(|token| language.verb(&token.word, false));
        let object = part.get(usize::from(found.is_some())..).unwrap_or_default();
        verb = found.or(verb);
        let Some(verb) = verb.clone() else { return Vec::new() };
        waiting.push(verb);
        let words = content_words(language, object);
        // "Prepared for or taken any exams": the object comes after the last verb.
        if !words.is_empty() {
            let said = |verb: String| Claim { key: format!("{who}\0did\0{verb}"), says: Says::Never(words.clone()) };
            claims.extend(waiting.drain(..).map(said));
        }
    }
    claims
}

/// The stems of the content words.
fn content_words(language: &Words, tokens: &[Token<'_>]) -> BTreeSet<String> {
    tokens.iter().filter(|token| !language.is("small", &token.word)).map(|token| stem(&token.word)).collect()
}
