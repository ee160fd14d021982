//! Claims about states: the only object of a predicate, or that a statement holds or not. Statements that hold in
//! part, at times or about something pointed at yield no claim, since their negation may hold as well.

use super::claim::{Claim, Says};
use super::sentence::{Start, Token};
use super::value::Value;
use super::words::{Only, Words};
use crate::memory::Memory;
use crate::text::words::stem;

/// Most words of an object that is compared as a whole.
const WORDS: usize = 6;

/// Reads the state after a subject.
pub(super) fn state(memory: &Memory, language: &Words, tokens: &[Token<'_>], start: &Start) -> Option<Claim> {
    let rest = tokens.get(start.at..)?;
    let skipped = rest.iter().take_while(|token| language.is("adverb", &token.word)).count();
    let rest = rest.get(skipped..)?;
    for only in language.only().iter().filter(|only| only.owned == start.owned) {
        for way in &only.patterns {
            let Some((length, part)) = fits(way, rest) else { continue };
            let copula = rest.get(length).is_some_and(|token| language.is("copula", &token.word));
            // A fact's detail states what belongs to a person without "is".
            if language.is("vague", &part) || (only.owned && !copula && start.at > 0) {
                return None;
            }
            let behind = length + usize::from(only.owned && copula);
            let from = way.iter().position(|word| word == "#").unwrap_or(behind);
            let value = Value::of(language, only.sort, rest.get(from..)?, memory.occurred_at())?;
            return Some(claim(only, &start.subject, &part, value));
        }
    }
    if start.owned { None } else { statement(language, rest, &start.subject) }
}

fn claim(only: &Only, who: &str, part: &str, value: Value) -> Claim {
    Claim { key: format!("{who}\0{}\0{part}", only.name), says: Says::Only(value, only.fixed) }
}

/// Matches a pattern at the beginning: returns the number of tokens and the word that "*" stands for.
fn fits(way: &[String], tokens: &[Token<'_>]) -> Option<(usize, String)> {
    let mut part = String::new();
    for (index, wanted) in way.iter().enumerate() {
        let token = tokens.get(index).filter(|token| !token.ends || index + 1 == way.len())?;
        match wanted.as_str() {
            "*" => part.clone_from(&token.word),
            "#" => _ = token.age()?,
            word if word == token.word => {}
            _ => return None,
        }
    }
    Some((way.len(), part))
}

/// Reports whether tokens limit a statement to a part or to some times.
pub(super) fn is_partial(language: &Words, tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| language.is_any(&["partly", "when"], &token.word))
}

/// Returns the claim that a statement holds or not. The key contains all words of the object in order: statements
/// about another object exclude nothing.
pub(super) fn holds(language: &Words, who: &str, predicate: &str, object: &[Token<'_>], so: bool) -> Option<Claim> {
    let more = ["clause", "or", "not", "never", "perfect", "progressive", "pointing", "also"];
    // Text after a mark, or with another clause, is more than one statement.
    let ends = object.iter().position(|token| token.ends).map_or(object.len(), |last| last + 1);
    if ends < object.len()
        || is_partial(language, object)
        || object.iter().any(|token| language.is_any(&more, &token.word))
    {
        return None;
    }
    let kept = object.iter().filter(|token| !language.is("article", &token.word));
    let words: Vec<String> = kept.map(|token| stem(&token.word)).collect();
    (1..=WORDS)
        .contains(&words.len())
        .then(|| Claim { key: format!("{who}\0is\0{predicate}\0{}", words.join(" ")), says: Says::Holds(so) })
}

/// Reads what a person likes, does, has or is, or does not.
fn statement(language: &Words, rest: &[Token<'_>], who: &str) -> Option<Claim> {
    let skips =
        |token: &&Token<'_>| language.is_any(&["does", "not", "never", "adverb"], &token.word) || token.word == "can";
    let before = rest.iter().take_while(skips).count();
    let denies = |token: &&Token<'_>| language.is_any(&["not", "never"], &token.word);
    // "Don't" is one denial of two tokens.
    let denials = rest.iter().take(before).filter(denies).count();
    let (verb, mut object) = rest.get(before..)?.split_first()?;
    let mut so = denials == 0;
    if so && language.is("prefers", &verb.word) {
        return preference(language, who, object);
    }
    let copula = language.is("copula", &verb.word) || ["am", "m", "bin"].contains(&verb.word.as_str());
    let first = |object: &[Token<'_>], class: &str| object.first().is_some_and(|token| language.is(class, &token.word));
    if first(object, "none") || (copula && first(object, "not")) {
        (so, object) = (!so, object.get(1..)?);
    }
    let likes = language.is("likes", &verb.word);
    let predicate = if likes || language.is("dislikes", &verb.word) {
        so = so == likes;
        "like".to_owned()
    } else if language.is("perfect", &verb.word) {
        // Possessions change daily, and "has finished" is no state.
        object.iter().any(|token| language.is("lasting", &token.word)).then(|| language.base(&verb.word))?
    } else if language.is("states", &verb.word) {
        language.base(&verb.word)
    } else if copula {
        // Conditions change too; only traits count.
        let trait_word = object.iter().find(|token| !language.is("article", &token.word))?;
        language.is("trait", &trait_word.word).then(|| "be".to_owned())?
    } else {
        return None;
    };
    if so && !language.is("perfect", &verb.word) {
        object = always(language, object);
    }
    (denials < 2 && !verb.ends).then(|| holds(language, who, &predicate, object, so))?
}

/// "I prefer tea over coffee" excludes the opposite order of the same two.
fn preference(language: &Words, who: &str, object: &[Token<'_>]) -> Option<Claim> {
    let at = object.iter().position(|token| language.is("over", &token.word))?;
    let side = |tokens| holds(language, "", "", tokens, true).map(|claim| claim.key);
    let (better, worse) = (side(object.get(..at)?)?, side(object.get(at + 1..)?)?);
    let (first, second) = if better < worse { (&better, &worse) } else { (&worse, &better) };
    let key = format!("{who}\0prefer\0{first}\0{second}");
    (better != worse).then(|| Claim { key, says: Says::Holds(better < worse) })
}

/// Cuts recurring times from the end of what a statement affirms: who drinks coffee every morning drinks coffee, who
/// drinks it on Sundays only does not always. What is denied for some times only may hold at others.
fn always<'o, 't>(language: &Words, object: &'o [Token<'t>]) -> &'o [Token<'t>] {
    let Some(at) = object.iter().position(|token| language.is("recurring", &token.word)) else { return object };
    let (before, times) = object.split_at(at);
    let limits = ["partly", "not", "clause", "pointing", "bounds"];
    let limited = times.iter().skip(1).any(|token| language.is_any(&limits, &token.word));
    let kept = before.iter().rposition(|token| !language.is("small", &token.word));
    match kept.filter(|_| !limited && !before.iter().any(|token| token.ends)) {
        Some(last) => before.get(..=last).unwrap_or(object),
        None => object,
    }
}
