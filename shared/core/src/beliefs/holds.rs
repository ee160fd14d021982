//! Claims that a statement holds or not. Statements that hold in part, at times or about something pointed at yield no
//! claim, since their negation may hold as well.

use super::claim::{Claim, Says};
use super::implied::follows;
use super::sentence::Token;
use super::words::Words;

/// Most words of an object that is compared as a whole.
const WORDS: usize = 6;

/// Reports whether tokens limit a statement to a part or to some times.
pub(super) fn is_partial(language: &Words, tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| language.is_any(&["partly", "when"], &token.word))
}

/// Reports whether tokens limit a statement to a part or to some times that do not recur.
fn is_limited(language: &Words, tokens: &[Token<'_>]) -> bool {
    let recurs = |at: usize| tokens.get(at).is_some_and(|token| language.is("recurring", &token.word));
    let limits = |(at, token): (usize, &Token<'_>)| {
        language.is_any(&["partly", "when"], &token.word) && !recurs(at) && !at.checked_sub(1).is_some_and(recurs)
    };
    tokens.iter().enumerate().any(limits)
}

/// Returns the claim that a statement holds or not. The key contains all words of the object in order: statements
/// about another object exclude nothing.
pub(super) fn holds(language: &Words, who: &str, predicate: &str, object: &[Token<'_>], so: bool) -> Option<Claim> {
    let more = ["clause", "or", "not", "never", "perfect", "progressive", "pointing", "also"];
    // Text after a mark, or with another clause, is more than one statement.
    let ends = object.iter().position(|token| token.ends).map_or(object.len(), |last| last + 1);
    if ends < object.len()
        || is_limited(language, object)
        || object.iter().any(|token| language.is_any(&more, &token.word))
    {
        return None;
    }
    let kept = object.iter().filter(|token| !language.is("article", &token.word));
    let words: Vec<String> = kept.map(|token| language.base(&token.word)).collect();
    (1..=WORDS).contains(&words.len()).then(|| of(who, predicate, &words, so, false))
}

/// The claim about words in their base form.
pub(super) fn of(who: &str, predicate: &str, words: &[String], so: bool, guessed: bool) -> Claim {
    Claim { key: format!("{who}\0is\0{predicate}\0{}", words.join(" ")), says: Says::Holds(so), guessed }
}

/// Reads what a person likes, does, has or is, or does not.
pub(super) fn statement(language: &Words, rest: &[Token<'_>], who: &str) -> Vec<Claim> {
    let helps = ["does", "not", "never", "adverb", "always", "able"];
    let before = rest.iter().take_while(|token| language.is_any(&helps, &token.word)).count();
    let (before, behind) = rest.split_at(before);
    let has = |class: &str| before.iter().any(|token| language.is(class, &token.word));
    // "Don't" is one denial of two tokens.
    let denials = before.iter().filter(|token| language.is_any(&["not", "never"], &token.word)).count();
    let Some((verb, object)) = behind.split_first() else { return Vec::new() };
    let so = denials == 0;
    if so && language.is("prefers", &verb.word) {
        return preference(language, who, object).into_iter().collect();
    }
    let not_always = !so && has("always");
    if denials > 1 || not_always || (verb.ends && !object.is_empty()) {
        return Vec::new();
    }
    let ongoing = object.first().is_some_and(|first| language.is("ongoing", &first.word));
    let Some((predicate, object, so)) = predicate(language, verb, object, so, has("able")) else {
        return Vec::new();
    };
    // Who can drive need not, and who is driving now may seldom do.
    let guessed = ongoing || (so && has("able"));
    let guess = |claim: Claim, guessed: bool| Claim { guessed, ..claim };
    let said = holds(language, who, &predicate, &object, so).map(|claim| guess(claim, guessed));
    let cut = if so { in_general(language, &object) } else { &object };
    let in_general = (cut.len() < object.len()).then(|| holds(language, who, &predicate, cut, so)).flatten();
    let in_general = in_general.map(|claim| guess(claim, true));
    let states = cut.is_empty() || said.is_some() || in_general.is_some();
    // Who smokes a pipe smokes; who does not smoke pipes may smoke.
    let alone = language.is("alone", &verb.word) && states && (so || object.is_empty());
    let alone = alone.then(|| of(who, &predicate, &[], so, guessed || !object.is_empty()));
    let said: Vec<Claim> = said.into_iter().chain(in_general).chain(alone).collect();
    let follows = if so && !said.is_empty() { follows(language, who, &predicate, cut) } else { Vec::new() };
    said.into_iter().chain(follows).collect()
}

/// The predicate of a verb that states something lasting, its object, and whether it is affirmed.
fn predicate<'t>(
    language: &Words,
    verb: &Token<'t>,
    object: &[Token<'t>],
    mut so: bool,
    able: bool,
) -> Option<(String, Vec<Token<'t>>, bool)> {
    let mut copula = language.is_any(&["copula", "am"], &verb.word);
    let mut object = object.to_vec();
    let first = |object: &[Token<'_>], class: &str| object.first().is_some_and(|token| language.is(class, &token.word));
    let denies = |token: &Token<'_>| language.is("floating", &token.word);
    if first(&object, "none") || (copula && first(&object, "not")) {
        so = !so;
        object.remove(0);
    } else if object.iter().filter(|token| denies(token)).count() == 1 && so {
        // "Ich rauche nicht": the denial comes after the verb.
        so = false;
        object.retain(|token| !denies(token));
    }
    let mut verb = verb.clone();
    if let Some(doing) = object.first().filter(|token| copula && language.is("ongoing", &token.word)).cloned() {
        (verb, copula) = (doing.with(language.present(&doing.word)?), false);
        object.remove(0);
    }
    let likes = language.is("likes", &verb.word);
    let predicate = if likes || language.is("dislikes", &verb.word) {
        so = so == likes;
        "like".to_owned()
    } else if language.is("endures", &verb.word) {
        // "I can't stand tea".
        (!so && able).then(|| "like".to_owned())?
    } else if language.is("perfect", &verb.word) {
        // Possessions change daily, and "has finished" is no state.
        object.iter().any(|token| language.is("lasting", &token.word)).then(|| language.base(&verb.word))?
    } else if language.is("states", &verb.word) {
        language.base(&verb.word)
    } else if copula {
        // Conditions change too; only traits count.
        let mut words = object.iter().filter(|token| !language.is("article", &token.word));
        let (first, last) = (words.next()?, words.next_back());
        let is_trait = |token: &Token<'_>| language.is("trait", &token.word);
        let about = language.is("about", &first.word) && object.len() > 2;
        (about || is_trait(first) || last.is_some_and(is_trait)).then(|| "be".to_owned())?
    } else {
        return None;
    };
    Some((predicate, object, so))
}

/// "I prefer tea over coffee" excludes the opposite order of the same two.
fn preference(language: &Words, who: &str, object: &[Token<'_>]) -> Option<Claim> {
    let at = object.iter().position(|token| language.is("over", &token.word))?;
    let side = |tokens| holds(language, "", "", tokens, true).map(|claim| claim.key);
    let (better, worse) = (side(object.get(..at)?)?, side(object.get(at + 1..)?)?);
    let (first, second) = if better < worse { (&better, &worse) } else { (&worse, &better) };
    let key = format!("{who}\0prefer\0{first}\0{second}");
    (better != worse).then(|| Claim { key, says: Says::Holds(better < worse), guessed: false })
}

/// Cuts what an affirmation does not need: how it is done, an amount at the beginning, and recurring times. Who speaks
/// French fluently speaks French, who drinks a cup of tea every morning drinks tea.
fn in_general<'o, 't>(language: &Words, object: &'o [Token<'t>]) -> &'o [Token<'t>] {
    let object = always(language, object);
    let is = |at: usize, class: &str| object.get(at).is_some_and(|token| language.is(class, &token.word));
    let number = object.first().is_some_and(|first| language.number(&first.word).is_some());
    let amount = usize::from(number || is(0, "article"));
    let from = if is(amount, "measure") && is(amount + 1, "of") { amount + 2 } else { 0 };
    let how = object.last().is_some_and(|last| language.is("manner", &last.word));
    object.get(from..object.len() - usize::from(how)).unwrap_or(object)
}

/// Cuts recurring times from the end of what a statement affirms: who drinks coffee every morning drinks coffee, who
/// drinks it on Sundays only does not always. What is denied for some times only may hold at others.
fn always<'o, 't>(language: &Words, object: &'o [Token<'t>]) -> &'o [Token<'t>] {
    let Some(at) = object.iter().position(|token| language.is("recurring", &token.word)) else { return object };
    let (before, times) = object.split_at(at);
    let limits = ["partly", "not", "clause", "pointing", "bounds"];
    let limited = times.iter().skip(1).any(|token| language.is_any(&limits, &token.word));
    let is_time =
        |token: &Token<'_>| language.is_any(&["small", "time"], &token.word) || language.number(&token.word).is_some();
    if limited || before.iter().any(|token| token.ends) {
        return object;
    }
    match before.iter().rposition(|token| !is_time(token)) {
        Some(last) => before.get(..=last).unwrap_or(object),
        // "Jeden Abend ein Bier": the time comes first.
        None if before.is_empty() && times.get(1).is_some_and(|token| language.is("when", &token.word)) => {
            times.get(2..).unwrap_or_default()
        }
        None => &[],
    }
}
