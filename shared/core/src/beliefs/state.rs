//! Claims about states: the only object of a predicate, its number, or that a statement holds or not.

use super::claim::{Claim, Says};
use super::holds::statement;
use super::sentence::{Same, Start, Token};
use super::value::Value;
use super::words::Words;
use crate::memory::Memory;

/// Reads the state after a subject. The first claim is what was said; the others follow from it.
pub(super) fn state(memory: &Memory, language: &Words, tokens: &[Token<'_>], start: &Start) -> Vec<Claim> {
    let rest = tokens.get(start.at..).unwrap_or_default();
    let skipped = rest.iter().take_while(|token| language.is("adverb", &token.word)).count();
    let rest = rest.get(skipped..).unwrap_or_default();
    let Ok(only) = only(memory, language, rest, start) else { return Vec::new() };
    let number = only.is_none().then(|| number(language, rest, &start.subject)).flatten();
    let held = if start.owned { Vec::new() } else { statement(language, rest, &start.subject) };
    let mut claims: Vec<Claim> = only.into_iter().chain(number).chain(held).collect();
    for claim in &mut claims {
        claim.guessed |= start.same != Same::Surely;
    }
    claims
}

/// The object of a predicate that has only one. An error means that the words say nothing certain.
fn only(memory: &Memory, language: &Words, rest: &[Token<'_>], start: &Start) -> Result<Option<Claim>, ()> {
    // Of several sisters each has a town of her own.
    for only in language.only().iter().filter(|only| only.owned == start.owned && start.same != Same::Several) {
        for way in &only.patterns {
            let Some((length, part)) = fits(way, rest) else { continue };
            let copula = rest.get(length).is_some_and(|token| language.is("copula", &token.word));
            // A fact's detail states what belongs to a person without "is".
            if language.is("vague", &part) {
                return Err(());
            } else if only.owned && !copula && start.at > 0 {
                continue;
            }
            let behind = length + usize::from(only.owned && copula);
            let named = rest.get(behind).is_some_and(|token| only.owned && language.is("called", &token.word));
            let from = way.iter().position(|word| word == "#").unwrap_or(behind + usize::from(named));
            let object = rest.get(from..).unwrap_or_default();
            if let Some(value) = Value::of(language, only.sort, object, memory.occurred_at()) {
                let key = format!("{}\0{}\0{}", start.subject, only.name, language.base(&part));
                let guessed = only.asks;
                return Ok(Some(Claim { key, says: Says::Only(value, only.fixed), guessed }));
            }
        }
    }
    Ok(None)
}

/// "I have two brothers": how many there are of what is counted.
fn number(language: &Words, rest: &[Token<'_>], who: &str) -> Option<Claim> {
    let (verb, object) = rest.split_first()?;
    let (number, object) = object.split_first().filter(|_| language.is("perfect", &verb.word))?;
    let (noun, behind) = object.split_first().filter(|(noun, _)| language.is("counted", &noun.word))?;
    let ends = noun.ends || behind.is_empty();
    let count = language.number(&number.word).filter(|_| ends && !number.ends)?;
    let key = format!("{who}\0number\0{}", language.base(&noun.word));
    Some(Claim { key, says: Says::Only(Value::Count(count), false), guessed: true })
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
