//! Finds the words of a query that name a speaker, and the speaker that they name.

use super::token::Token;
use crate::text::lists::is_stop_word;
use crate::text::words::{fold, words};

/// Words that name a role, not a person.
const ROLES: [&str; 9] = ["user", "assistant", "system", "agent", "human", "bot", "ai", "me", "you"];

/// The names in a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// For each token, whether it is part of a speaker's name.
    pub is_name: Vec<bool>,
    /// All numbers of the speaker meant; empty if none is named, or if it is not clear which.
    pub who: Vec<i64>,
    /// All speakers named, if there are several.
    pub each: Vec<i64>,
}

/// A speaker whose name shares a word with the query.
struct Speaker {
    number: i64,
    words: Vec<String>,
}

/// Finds speakers in a query. If the query has capitals, a name must be capitalized; otherwise it must not be a
/// stop-word.
pub(super) fn find(tokens: &[Token<'_>], speakers: &[(i64, String)]) -> Names {
    let cased = tokens.iter().any(Token::is_capitalized);
    let may_be = |token: &&Token<'_>| {
        (if cased { token.is_capitalized() } else { !is_stop_word(&token.folded) })
            && !ROLES.contains(&token.folded.as_str())
    };
    let possible: Vec<&str> = tokens.iter().filter(may_be).map(|token| token.folded.as_str()).collect();
    // Most speakers are not named, so their names are compared as they are, before anything is built from them.
    let speakers: Vec<Speaker> = speakers
        .iter()
        .filter(|(_, name)| words(name).any(|own| possible.iter().any(|word| is_same(own, word))))
        .map(|(number, name)| speaker(*number, name))
        .collect();
    let is_name: Vec<bool> = tokens
        .iter()
        .map(|token| may_be(&token) && speakers.iter().any(|speaker| speaker.words.contains(&token.folded)))
        .collect();
    let named: Vec<&str> =
        tokens.iter().zip(&is_name).filter(|(_, is)| **is).map(|(token, _)| token.folded.as_str()).collect();
    let who = if named.is_empty() { Vec::new() } else { meant(&named, &speakers) };
    let mut each: Vec<i64> = named.iter().flat_map(|word| meant(&[word], &speakers)).collect();
    each.sort_unstable();
    each.dedup();
    Names { is_name, who, each }
}

fn is_same(raw: &str, folded: &str) -> bool {
    if raw.is_ascii() { raw.eq_ignore_ascii_case(folded) } else { fold(raw) == folded }
}

fn speaker(number: i64, name: &str) -> Speaker {
    Speaker { number, words: words(name).map(fold).filter(|word| !ROLES.contains(&word.as_str())).collect() }
}

/// Returns the speaker whose name holds every word named. Two people named, or a first name that several have, mean
/// no speaker. A full name means all speakers with exactly that name.
fn meant(named: &[&str], speakers: &[Speaker]) -> Vec<i64> {
    let holds_all = |speaker: &&Speaker| named.iter().all(|word| speaker.words.iter().any(|own| own == word));
    let in_full = |speaker: &&&Speaker| speaker.words.iter().all(|own| named.contains(&own.as_str()));
    let possible: Vec<&Speaker> = speakers.iter().filter(holds_all).collect();
    let full: Vec<&Speaker> = possible.iter().filter(in_full).copied().collect();
    let chosen = if full.is_empty() { possible } else { full };
    let one = chosen.windows(2).all(|pair| pair[0].words == pair[1].words);
    if one { chosen.iter().map(|speaker| speaker.number).collect() } else { Vec::new() }
}
