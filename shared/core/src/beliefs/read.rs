//! Reads a record for what it claims: its detail where that tells, else its content, if that is one sentence.

use std::collections::BTreeSet;

use super::claim::{Claim, Says};
use super::sentence::{Start, Token, start, subject, tokens};
use super::value::Value;
use super::words::{Only, Words, all};
use crate::memory::{Detail, FactDetail, Layer, Memory, Polarity};
use crate::text::sentences;
use crate::text::words::stem;

/// Longer contents are no one statement, in bytes.
const LONGEST: usize = 400;
/// Most words of an object that is compared as a whole.
const WORDS: usize = 6;

/// What a record claims; nothing if nothing may be derived from it, or if it is edited in place.
pub(super) fn claims(memory: &Memory) -> Vec<Claim> {
    let draft = &memory.draft;
    if draft.metadata.sensitive || memory.withheld || draft.kind.layer() != Layer::Knowledge || draft.name.is_some() {
        return Vec::new();
    }
    match &draft.detail {
        Some(Detail::Fact(fact)) => of_fact(memory, fact).into_iter().collect(),
        Some(Detail::Preference(preference)) => {
            let who = subject(draft.speaker.as_deref().unwrap_or_default());
            let what = tokens(&preference.subject);
            let liked = preference.polarity == Polarity::Positive;
            all().iter().find_map(|language| holds(language, &who, "like", &what, liked)).into_iter().collect()
        }
        Some(_) => Vec::new(),
        None => of_content(memory),
    }
}

fn of_fact(memory: &Memory, fact: &FactDetail) -> Option<Claim> {
    let (who, said, object) = (subject(&fact.subject), tokens(&fact.predicate), tokens(&fact.object));
    for language in all() {
        for only in language.only() {
            let named = said.iter().map(|token| token.word.as_str()).eq(only.name.split('_'));
            let fits =
                only.patterns.iter().find_map(|way| fits(way, &said).filter(|(length, _)| *length == said.len()));
            if let Some((_, part)) = fits.or_else(|| named.then_some((0, String::new()))) {
                let value = Value::of(language, only.sort, &object, memory.occurred_at(), true)?;
                return Some(claim(only, &who, &part, value));
            }
        }
    }
    let negates = |token: &&Token<'_>| {
        all().iter().any(|language| language.is("not", &token.word) || language.is("never", &token.word))
    };
    let denied = said.iter().filter(negates).count();
    let fills = |token: &Token<'_>| all().iter().any(|language| language.is("does", &token.word));
    let kept = said.iter().filter(|token| !negates(token) && !fills(token)).map(|token| stem(&token.word));
    let predicate: Vec<String> = kept.collect();
    let language = all().first()?;
    (denied < 2).then(|| holds(language, &who, &predicate.join(" "), &object, denied == 0))?
}

fn claim(only: &Only, who: &str, part: &str, value: Value) -> Claim {
    Claim { key: format!("{who}\0{}\0{part}", only.name), says: Says::Only(value, only.fixed) }
}

/// That something is so, or not. All of the object is part of the key: what is about another one excludes nothing.
fn holds(language: &Words, who: &str, predicate: &str, object: &[Token<'_>], so: bool) -> Option<Claim> {
    let words = content_words(language, object);
    let words: Vec<String> = words.into_iter().collect();
    (1..=WORDS)
        .contains(&words.len())
        .then(|| Claim { key: format!("{who}\0is\0{predicate}\0{}", words.join(" ")), says: Says::Holds(so) })
}

/// The stems of words that say something.
fn content_words(language: &Words, tokens: &[Token<'_>]) -> BTreeSet<String> {
    tokens.iter().filter(|token| !language.is("small", &token.word)).map(|token| stem(&token.word)).collect()
}

/// Whether a way to say something stands at the beginning: how many tokens it takes, and what "*" stands for.
fn fits(way: &[String], tokens: &[Token<'_>]) -> Option<(usize, String)> {
    let mut part = String::new();
    for (index, wanted) in way.iter().enumerate() {
        let token = tokens.get(index).filter(|token| !token.ends || index + 1 == way.len())?;
        match wanted.as_str() {
            "*" => part.clone_from(&token.word),
            "#" => _ = token.number()?,
            word if word == token.word => {}
            _ => return None,
        }
    }
    Some((way.len(), part))
}

fn of_content(memory: &Memory) -> Vec<Claim> {
    let content = memory.draft.content.trim();
    if content.len() > LONGEST || content.contains(['?', '"', '“', '\n']) || sentences::of(content, LONGEST).len() != 1
    {
        return Vec::new();
    }
    let tokens = tokens(content);
    let said = all().iter().map(|language| {
        // A word in capitals, such as May, is a name.
        let unsure =
            |(at, token): (usize, &Token<'_>)| language.is("unsure", &token.word) && (at == 0 || !token.capital());
        if tokens.iter().enumerate().any(unsure) {
            return Vec::new();
        }
        let stated =
            start(language, &memory.draft, &tokens, false).and_then(|start| state(memory, language, &tokens, &start));
        match stated {
            Some(claim) => vec![claim],
            None => start(language, &memory.draft, &tokens, true)
                .filter(|start| !start.owned)
                .map_or_else(Vec::new, |start| done(language, &tokens, &start)),
        }
    });
    said.into_iter().find(|claims| !claims.is_empty()).unwrap_or_default()
}

/// How something is.
fn state(memory: &Memory, language: &Words, tokens: &[Token<'_>], start: &Start) -> Option<Claim> {
    let rest = tokens.get(start.at..)?;
    let skipped = rest.iter().take_while(|token| language.is("adverb", &token.word)).count();
    let rest = &rest[skipped..];
    for only in language.only().iter().filter(|only| only.owned == start.owned) {
        for way in &only.patterns {
            let Some((length, part)) = fits(way, rest) else { continue };
            let numbered = way.iter().position(|word| word == "#");
            let mut from = numbered.unwrap_or(length);
            if only.owned {
                rest.get(from).filter(|token| language.is("copula", &token.word))?;
                from += 1;
            }
            let value = Value::of(language, only.sort, rest.get(from..)?, memory.occurred_at(), false)?;
            return Some(claim(only, &start.subject, &part, value));
        }
    }
    if start.owned { None } else { statement(language, rest, &start.subject) }
}

/// What somebody likes, has or is, or does not.
fn statement(language: &Words, rest: &[Token<'_>], who: &str) -> Option<Claim> {
    let skips = |token: &Token<'_>| {
        ["does", "not", "adverb"].iter().any(|class| language.is(class, &token.word)) || token.word == "can"
    };
    let at = rest.iter().position(|token| !skips(token))?;
    let denied = rest[..at].iter().filter(|token| language.is("not", &token.word)).count();
    let verb = rest.get(at)?;
    let mut object = rest.get(at + 1..)?;
    let copula = language.is("copula", &verb.word) || ["am", "m", "bin"].contains(&verb.word.as_str());
    let mut so = denied == 0;
    let predicate = if language.is("likes", &verb.word) {
        "like".to_owned()
    } else if language.is("dislikes", &verb.word) {
        so = !so;
        "like".to_owned()
    } else if language.is("states", &verb.word) {
        let began = object.iter().find(|token| !language.is("adverb", &token.word));
        // "Has finished" is no state.
        if language.is("perfect", &verb.word) && began.is_some_and(|token| language.verb(&token.word, false).is_some())
        {
            return None;
        }
        language.base(&verb.word)
    } else if copula {
        if object.first().is_some_and(|token| language.is("not", &token.word)) {
            so = !so;
            object = object.get(1..)?;
        }
        "be".to_owned()
    } else {
        return None;
    };
    let over = |token: &Token<'_>| {
        ["clause", "or", "not", "never", "perfect", "progressive"].iter().any(|class| language.is(class, &token.word))
    };
    let ends = object.iter().position(|token| token.ends).map_or(object.len(), |last| last + 1);
    // What goes on behind a mark, or holds another clause, is more than one statement.
    let whole = ends == object.len() && !object.iter().any(over) && denied < 2;
    whole.then(|| holds(language, who, &predicate, object, so))?
}

/// What was done, or never was.
fn done(language: &Words, tokens: &[Token<'_>], start: &Start) -> Vec<Claim> {
    let Some(rest) = tokens.get(start.at..) else { return Vec::new() };
    let helps = |token: &Token<'_>| {
        ["adverb", "perfect", "progressive", "past"].iter().any(|class| language.is(class, &token.word))
    };
    let Some(at) = rest.iter().position(|token| !helps(token)) else { return Vec::new() };
    let before = &rest[..at];
    let has = |class: &str| before.iter().any(|token| language.is(class, &token.word));
    let verb = |token: &Token<'_>, going: bool| language.verb(&token.word, going);
    if language.is("never", &rest[at].word) {
        return if has("perfect") { never(language, &rest[at + 1..], &start.subject) } else { Vec::new() };
    }
    let obliged = has("past") && before.last().is_some_and(|token| token.word == "to");
    let bare = || obliged.then(|| verb(&Token::past(&rest[at]), false)).flatten();
    let found = verb(&rest[at], has("progressive")).or_else(bare);
    let denied = |token: &Token<'_>| language.is("not", &token.word);
    match found.filter(|_| !tokens.iter().any(denied)) {
        Some(verb) => {
            let words = content_words(language, tokens);
            vec![Claim { key: format!("{}\0did\0{verb}", start.subject), says: Says::Did(words) }]
        }
        None => Vec::new(),
    }
}

/// The claims of "never done this or that, or done those".
fn never(language: &Words, rest: &[Token<'_>], who: &str) -> Vec<Claim> {
    let end = rest.iter().position(|token| language.is("clause", &token.word)).unwrap_or(rest.len());
    let rest = &rest[..end];
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
        // "Prepared for or taken any exams": what was not done is named behind the last verb.
        if !words.is_empty() {
            let said = |verb: String| Claim { key: format!("{who}\0did\0{verb}"), says: Says::Never(words.clone()) };
            claims.extend(waiting.drain(..).map(said));
        }
    }
    claims
}
