//! Claims about what was done and what never was.

use std::collections::BTreeSet;

use super::claim::{Claim, Says};
use super::sentence::{Start, Token, clause};
use super::words::Words;
use crate::text::words::stem;

/// The verb of who was at an event, in the data file of each language that has events.
const ATTENDED: &str = "attended";
/// Stands for any hands-on verb: who configured something has used it.
const ANY: &str = "*";
/// Marks a name that must be mentioned: who never met Kim has perhaps met Lee.
pub(super) const REQUIRED: char = '=';
/// Marks a word that only describes the next one.
pub(super) const DESCRIBES: char = '~';
/// Most words of the name of an event.
const LONGEST_PLACE: usize = 6;

/// Finds a claim that something was done or never done.
pub(super) fn done(language: &Words, tokens: &[Token<'_>], start: &Start) -> Vec<Claim> {
    let rest = tokens.get(start.at..).unwrap_or_default();
    let denied = |token: &Token<'_>| language.is("not", &token.word);
    let helps = |token: &Token<'_>| language.is_any(&["adverb", "also", "perfect", "progressive", "past"], &token.word);
    let at = rest.iter().take_while(|token| helps(token)).count();
    let is = |class: &str, at: usize| rest.get(at).is_some_and(|token| language.is(class, &token.word));
    // "I managed to leave", but not "I managed a team".
    let managed = is("managed", at) && rest.get(at + 1).is_some_and(|token| token.word == "to");
    let (before, behind) = rest.split_at(if managed { at + 2 } else { at });
    let Some((first, object)) = behind.split_first() else { return Vec::new() };
    let has = |class: &str| before.iter().any(|token| language.is(class, &token.word));
    if language.is("never", &first.word) {
        // "I never wrote a poem" is as much as "I've never written one", and "I never write poems" is a habit.
        let past = has("perfect") || object.first().is_some_and(|token| language.is_past(&token.word));
        return if past && !start.shared { never(language, object, &start.subject) } else { Vec::new() };
    }
    if denied(first) && has("perfect") && !start.shared && is_at_all(language, object) {
        // "I haven't attended any class" is as much as "never".
        return never(language, object, &start.subject);
    }
    let verb = |token: &Token<'_>, going: bool| language.verb(&token.word, going);
    let to = before.last().is_some_and(|token| token.word == "to");
    // "I had to leave", "I managed to leave".
    let obliged =
        to && before.iter().any(|token| token.word != "to" && language.is_any(&["past", "managed"], &token.word));
    let bare = || obliged.then(|| verb(&Token::past(first), false)).flatten();
    let clause = clause(language, tokens, start.at);
    // "I use Figma" says that it was used; "I have to use it" and "I use it tomorrow" do not.
    let doing = || language.doing(&first.word).filter(|_| !clause.iter().any(|token| language.is("when", &token.word)));
    let attend = language.verb(ATTENDED, false);
    let been =
        to && before.len() > 1 && before.get(before.len() - 2).is_some_and(|token| language.is("been", &token.word));
    // "I had a meeting": the helper is the verb.
    let had = || before.last().filter(|token| token.word == "had").and_then(|had| verb(had, false));
    let found = match to {
        true if been => attend.clone(),
        true => bare(),
        false => verb(first, has("progressive")).or_else(doing).or_else(had),
    };
    let Some(verb) = found.filter(|_| !clause.iter().any(denied)) else {
        return Vec::new();
    };
    let words: BTreeSet<String> =
        content_words(language, tokens).into_iter().chain(modifiers(language, tokens)).collect();
    let went = language.is("went", &first.word) && object.first().is_some_and(|token| token.word == "to");
    let attend = attend.filter(|_| went || is_at_event(language, object));
    let handles = language.is("handles", &first.word).then(|| ANY.to_owned());
    let entailed = language.entailed(&verb).to_vec();
    let verbs: BTreeSet<String> = [verb].into_iter().chain(attend).chain(handles).chain(entailed).collect();
    verbs.iter().map(|verb| claim(&start.subject, verb, Says::Did(words.clone()))).collect()
}

/// The claim that something was done or never done.
fn claim(who: &str, verb: &str, says: Says) -> Claim {
    Claim { key: format!("{who}\0did\0{verb}"), says, guessed: true }
}

/// Reports whether a denial is one of "any" in the same clause, and not of "any more".
fn is_at_all(language: &Words, object: &[Token<'_>]) -> bool {
    let end = object.iter().position(|token| language.is("clause", &token.word)).unwrap_or(object.len());
    let of_clause = object.get(..end).unwrap_or_default();
    let further = |at: usize| of_clause.get(at).is_some_and(|token| language.is("further", &token.word));
    of_clause.iter().enumerate().any(|(at, token)| language.is("at_all", &token.word) && !further(at + 1))
}

/// Reports whether something happened "at the book fair": who did it there attended it.
fn is_at_event(language: &Words, object: &[Token<'_>]) -> bool {
    let at = object.iter().position(|token| language.is("there", &token.word));
    let place = object.get(at.map_or(object.len(), |at| at + 1)..).unwrap_or_default().iter().take(LONGEST_PLACE);
    let ends = place.clone().position(|token| token.ends).map_or(LONGEST_PLACE, |last| last + 1);
    place.take(ends).any(|token| language.is("event", &token.word))
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
        // "Been diagnosed" is a form of the verb, "been to Rome" a visit.
        let passive =
            matches!(part, [been, verb, ..] if language.is("been", &been.word) && language.is_past(&verb.word));
        let part = part.get(usize::from(passive)..).unwrap_or_default();
        let been = matches!(part, [been, to, ..] if language.is("been", &been.word) && to.word == "to");
        let found = part.first().and_then(|token| language.verb(if been { ATTENDED } else { &token.word }, false));
        let object = part.get(usize::from(found.is_some())..).unwrap_or_default();
        let general = part.first().is_some_and(|token| language.is("general", &token.word));
        verb = found.or(verb);
        let Some(verb) = verb.clone() else { return Vec::new() };
        waiting.push(verb.clone());
        // "Any fruit, like Mangos": each example by itself is covered, too.
        let like = object.iter().position(|token| language.is("example", &token.word)).unwrap_or(object.len());
        let (object, examples) = object.split_at(like);
        let named = examples.iter().filter(|token| token.capital()).map(|token| BTreeSet::from([stem(&token.word)]));
        claims.extend(named.map(|words| claim(who, &verb, Says::Never(words))));
        let mut words = content_words(language, object.iter().filter(|token| !language.is("weak", &token.word)));
        // One plain word is too little for a guess at the verb.
        if general && (words.len() > 1 || object.iter().any(Token::capital)) {
            waiting.push(ANY.to_owned());
        }
        words.extend(
            object.iter().filter(|token| token.is_name()).map(|token| format!("{REQUIRED}{}", stem(&token.word))),
        );
        // "Prepared for or taken any exams": the object comes after the last verb.
        if !words.is_empty() {
            claims.extend(waiting.drain(..).map(|verb| claim(who, &verb, Says::Never(words.clone()))));
        }
    }
    claims
}

/// Finds "not having sold any kiln", whose subject is the speaker.
pub(super) fn having(language: &Words, tokens: &[Token<'_>], who: &str) -> Vec<Claim> {
    let is = |at: usize, class: &str| tokens.get(at).is_some_and(|token| language.is(class, &token.word));
    let at = |first: &str, second: &str| (0..tokens.len()).find(|at| is(*at, first) && is(at + 1, second));
    let behind = |at: usize| tokens.get(at + 2..).unwrap_or_default();
    let denied = at("not", "having").map(behind).filter(|rest| is_at_all(language, rest));
    denied.map(|rest| never(language, rest, who)).unwrap_or_default()
}

/// The stems of the content words.
fn content_words<'s, 't: 's>(language: &Words, tokens: impl IntoIterator<Item = &'s Token<'t>>) -> BTreeSet<String> {
    tokens.into_iter().filter(|token| !language.is("small", &token.word)).map(|token| stem(&token.word)).collect()
}

/// Marks words that only describe the next one: who designed a budget app made no budget. Names stand by themselves.
fn modifiers(language: &Words, tokens: &[Token<'_>]) -> Vec<String> {
    let ends = ["small", "adverb", "clause", "and", "or", "when", "partly"];
    let modifies = |pair: &[Token<'_>]| match pair {
        [word, next] => {
            let goes_on = !word.ends && !next.capital() && !language.is_any(&ends, &next.word);
            let noun = language.number(&next.word).is_none() && !next.word.ends_with("ly");
            (goes_on && noun && !word.capital()).then(|| format!("{DESCRIBES}{}", stem(&word.word)))
        }
        _ => None,
    };
    tokens.windows(2).filter_map(modifies).collect()
}
