//! Reads the claims of a record: from its detail, or from its content if that is one sentence.

use super::claim::{Claim, Says};
use super::done::done;
use super::sentence::{Start, Token, clause, start, starts, subject, tokens};
use super::state::{holds, is_partial, state};
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
        Some(Detail::Fact(fact)) => of_fact(memory, fact).into_iter().collect(),
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

fn of_fact(memory: &Memory, fact: &FactDetail) -> Option<Claim> {
    let said = [tokens(&fact.predicate), tokens(&fact.object)].concat();
    let of = |owned| Start { subject: subject(&fact.subject), at: 0, owned, shared: false };
    let read = |language: &Words| {
        let sure = !is_unsure(language, &said);
        sure.then(|| state(memory, language, &said, &of(false)).or_else(|| state(memory, language, &said, &of(true))))?
    };
    beside(memory, all().iter().find_map(read)?)
}

fn of_preference(memory: &Memory, preference: &PreferenceDetail) -> Option<Claim> {
    let who = subject(memory.draft.speaker.as_deref().unwrap_or_default());
    let (what, liked) = (tokens(&preference.subject), preference.polarity == Polarity::Positive);
    beside(memory, all().iter().find_map(|language| holds(language, &who, "like", &what, liked))?)
}

fn of_content(memory: &Memory) -> Vec<Claim> {
    let content = memory.draft.content.trim();
    if content.len() > LONGEST || content.contains(['?', '"', '“', '\n']) || sentences::of(content, LONGEST).len() != 1
    {
        return Vec::new();
    }
    let tokens = tokens(content);
    let said = all().iter().map(|language| {
        let begin = start(language, &memory.draft, &tokens).filter(|_| !is_unsure(language, &tokens));
        if let Some(claim) = begin.and_then(|start| state(memory, language, &tokens, &start)) {
            return vec![claim];
        }
        let starts = starts(language, &memory.draft, &tokens).into_iter();
        let sure = starts.filter(|start| !is_unsure(language, clause(language, &tokens, start.at)));
        sure.flat_map(|start| done(language, &tokens, &start)).collect()
    });
    said.into_iter().find(|claims| !claims.is_empty()).unwrap_or_default()
}
