//! Reads the claims of a record: from its detail, or from its content if that is one sentence.

use super::claim::{Claim, Says};
use super::done::{done, having};
use super::ended::cut;
use super::holds::{holds, is_partial};
use super::sentence::{Start, Token, clause, speaker, starts, subject, tokens};
use super::state::state;
use super::subject::subjects;
use super::words::{Words, all};
use crate::memory::{Detail, FactDetail, Layer, Memory, Polarity, PreferenceDetail};
use crate::text::sentences;

/// Longest content that counts as one statement, in bytes.
const LONGEST: usize = 400;
/// Most claims of a record.
const MOST: usize = 8;

/// Returns a record's claims; none if nothing may be derived from it, or if it has a name and is edited in place.
pub(super) fn claims(memory: &Memory) -> Vec<Claim> {
    let draft = &memory.draft;
    if draft.metadata.sensitive || memory.withheld || draft.kind.layer() != Layer::Knowledge || draft.name.is_some() {
        return Vec::new();
    }
    let mut claims: Vec<Claim> = match &draft.detail {
        Some(Detail::Fact(fact)) => of_fact(memory, fact),
        Some(Detail::Preference(preference)) => of_preference(memory, preference).into_iter().collect(),
        Some(_) => Vec::new(),
        None => of_content(memory),
    };
    claims.truncate(MOST);
    claims
}

/// Keeps a detail's claim unless the content hedges it: perhaps, in part, or at times.
fn beside(memory: &Memory, claim: Claim) -> Option<Claim> {
    let said = tokens(&memory.draft.content);
    let in_part = |language: &Words| matches!(claim.says, Says::Holds(_)) && is_partial(language, &said);
    let loose = all().iter().any(|language| is_unsure(language, &said) || in_part(language));
    (!loose && !memory.draft.content.contains('?')).then_some(claim)
}

/// Reports whether tokens hedge. A capitalized word after the first, such as May, is a name.
fn is_unsure(language: &Words, tokens: &[Token<'_>]) -> bool {
    let unsure = |(at, token): (usize, &Token<'_>)| language.is("unsure", &token.word) && (at == 0 || !token.capital());
    tokens.iter().enumerate().any(unsure)
}

fn of_fact(memory: &Memory, fact: &FactDetail) -> Vec<Claim> {
    let said = [tokens(&fact.predicate), tokens(&fact.object)].concat();
    let read = |language: &Words| {
        let sure = !is_unsure(language, &said);
        let of = |owned| state(memory, language, &said, &Start::of(subject(&fact.subject), 0, owned));
        [false, true].into_iter().filter(|_| sure).map(of).find(|claims| !claims.is_empty())
    };
    let claims = all().iter().find_map(read).unwrap_or_default();
    claims.into_iter().filter_map(|claim| beside(memory, claim)).collect()
}

fn of_preference(memory: &Memory, preference: &PreferenceDetail) -> Option<Claim> {
    let who = subject(memory.draft.speaker.as_deref().unwrap_or_default());
    let (what, liked) = (tokens(&preference.subject), preference.polarity == Polarity::Positive);
    beside(memory, all().iter().find_map(|language| holds(language, &who, "like", &what, liked))?)
}

/// Reports whether a text is one sentence. The marks of "3. Mai" and "Dr. Kim" end none.
fn is_one_sentence(text: &str) -> bool {
    let parts = sentences::of(text, LONGEST);
    let goes_on = |pair: &[std::ops::Range<usize>]| {
        let [before, after] = pair else { return false };
        let (before, after) =
            (text.get(before.clone()).unwrap_or_default(), text.get(after.clone()).unwrap_or_default());
        let day = before.trim_end_matches('.').ends_with(|c: char| c.is_ascii_digit());
        let month = tokens(after)
            .first()
            .is_some_and(|token| all().iter().any(|language| language.month(&token.word).is_some()));
        let title = |language: &Words| tokens(before).last().is_some_and(|last| language.is("title", &last.word));
        (day && month) || all().iter().any(title)
    };
    !parts.is_empty() && parts.windows(2).all(goes_on)
}

/// The number of words of the first statement: "I own no car, I rent" has two.
fn first_statement(language: &Words, tokens: &[Token<'_>]) -> usize {
    let more = |at: &usize| tokens.get(at + 1).is_some_and(|next| language.is("first", &next.word));
    let end = (0..tokens.len()).find(|at| tokens.get(*at).is_some_and(|token| token.ends) && more(at));
    end.map_or(tokens.len(), |last| last + 1)
}

/// A statement without "honestly" and "at all".
fn plain<'t>(language: &Words, stated: &[Token<'t>]) -> Vec<Token<'t>> {
    let aside = |token: &&Token<'_>| !language.is("aside", &token.word);
    let mut kept: Vec<Token<'t>> = stated.iter().filter(aside).cloned().collect();
    if let [.., at, all] = kept.as_slice()
        && (at.word.as_str(), all.word.as_str()) == ("at", "all")
    {
        kept.truncate(kept.len() - 2);
    }
    // What was cut behind a mark leaves the mark.
    if let Some(last) = kept.last_mut() {
        last.ends = false;
    }
    kept
}

fn of_content(memory: &Memory) -> Vec<Claim> {
    let content = memory.draft.content.trim();
    if content.len() > LONGEST || content.contains(['?', '"', '“', '\n']) || !is_one_sentence(content) {
        return Vec::new();
    }
    let tokens = tokens(content);
    let said =
        all().iter().map(|language| [held(memory, language, &tokens), acted(memory, language, &tokens)].concat());
    said.into_iter().find(|claims| !claims.is_empty()).unwrap_or_default()
}

/// The claims about a state, or about its end.
fn held(memory: &Memory, language: &Words, tokens: &[Token<'_>]) -> Vec<Claim> {
    let (first, behind) = tokens.split_at(first_statement(language, tokens));
    let first = plain(language, first);
    let ended = cut(language, &first);
    let stated = ended.as_ref().map_or(&first, |(rest, _)| rest);
    // "I eat meat, I think": what follows limits the statement.
    if is_unsure(language, stated) || is_unsure(language, behind) || is_partial(language, behind) {
        return Vec::new();
    }
    let subjects = subjects(language, &memory.draft, stated).into_iter();
    let claims = subjects.map(|start| state(memory, language, stated, &start)).find(|claims| !claims.is_empty());
    let claims = claims.unwrap_or_default();
    match &ended {
        Some((_, end)) => end.of(claims),
        None => claims,
    }
}

/// The claims about what was done and what never was.
fn acted(memory: &Memory, language: &Words, tokens: &[Token<'_>]) -> Vec<Claim> {
    let starts = starts(language, &memory.draft, tokens).into_iter();
    let sure = starts.filter(|start| !is_unsure(language, clause(language, tokens, start.at)));
    let done = sure.flat_map(|start| done(language, tokens, &start));
    let who = speaker(&memory.draft).filter(|_| !is_unsure(language, tokens));
    done.chain(who.into_iter().flat_map(|who| having(language, tokens, &who))).collect()
}
