//! Reads one sentence: what it states, the rules that fit its clauses, and the candidates that these make.

use std::ops::Range;

use super::candidate::{Candidate, Nature, Why};
use super::clauses::{Stated, starts, stated};
use super::content::{self, Found};
use super::correction::{self, Correction, correction};
use super::guards::{guard, why_nothing};
use super::language::{Language, Place, Rule};
use super::said::{Options, Said};
use super::secrets::secrets;
use super::tokens::{Token, tokens};
use super::weight::{detail, is_concrete};
use crate::memory::Role;

/// What a sentence is read with.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    pub language: &'c Language,
    pub said: &'c Said<'c>,
    pub before: &'c [Said<'c>],
    pub options: Options,
}

/// Most statements that one sentence makes.
const MOST: usize = 2;

/// Reads the sentence at `span`; `last` is the one before it in the message. Yields candidates or why there is none.
pub(super) fn read(
    context: &Context<'_>,
    span: Range<usize>,
    last: Option<Range<usize>>,
    words: &mut Vec<Token>,
) -> Result<Vec<Candidate>, Why> {
    let (language, text) = (context.language, context.said.content);
    tokens(language, text, span.clone(), words);
    let asks = is_question(text, &span);
    if text.get(span.clone()).is_some_and(|sentence| sentence.contains(['{', '}'])) {
        return Err(Why::Code);
    }
    if words.iter().all(|token| token.is(language.known().filler | language.known().conj)) {
        return Err(why_nothing(language, words, asks));
    }
    let Some(stated) = stated(language, words, asks) else { return Err(Why::Question) };
    let corrects = correction(language, text, words);
    let found = matches(context, words, &stated);
    if let (Err(_), Some(correction)) = (&found, &corrects) {
        let restated = restated(context, &span, correction);
        return restated.map(|candidate| vec![candidate]).ok_or(Why::Nothing);
    }
    let found = found.map_err(|why| why.unwrap_or_else(|| why_nothing(language, words, asks)))?;
    let made = content::Sentence { context: *context, words, stated: &stated, span, last };
    let mut candidates = Vec::with_capacity(found.len());
    let mut refused = None;
    for (index, one) in found.iter().enumerate() {
        let end = found.get(index + 1).map_or(stated.to, |next| next.start);
        match made.candidate(one, index == 0, end, corrects.as_ref()) {
            Ok(candidate) => candidates.push(candidate),
            Err(why) => refused = Some(why),
        }
    }
    if candidates.is_empty() { Err(refused.unwrap_or(Why::Nothing)) } else { Ok(candidates) }
}

fn is_question(text: &str, span: &Range<usize>) -> bool {
    let sentence = text.get(span.clone()).unwrap_or_default();
    let sentence = sentence.trim_end_matches(['"', '\'', '”', ')', '*', ' ', '!']);
    sentence.ends_with(['?', '？', '؟'])
}

/// The rules that fit clauses of a sentence, from left to right; why none counts, if one fits.
fn matches<'r>(context: &Context<'r>, words: &[Token], stated: &Stated) -> Result<Vec<Found<'r>>, Option<Why>> {
    let mut at = Vec::new();
    starts(context.language, words, stated, &mut at);
    let (mut found, mut refused): (Vec<Found<'r>>, _) = (Vec::new(), None);
    let tokens = &words[..stated.to];
    for rule in context.language.rules() {
        if context.said.role == Role::Assistant && !rule.assistant {
            continue;
        }
        if found.iter().any(|other| other.rule.class == rule.class) {
            continue;
        }
        match fits(context.language, rule, tokens, stated, &at) {
            Some(Ok(one)) => found.push(one),
            Some(Err(why)) => refused = refused.or(Some(why)),
            None => {}
        }
    }
    found.sort_by_key(|one| one.start);
    // Another class counts only for another clause, and behind an instruction none does.
    found.dedup_by(|next, one| next.start < one.end + 1 || one.rule.nature == Nature::Instruction);
    found.truncate(MOST);
    if found.is_empty() { Err(refused) } else { Ok(found) }
}

/// The first clause that a rule fits, or why it does not count there.
fn fits<'r>(
    language: &Language,
    rule: &'r Rule,
    tokens: &[Token],
    stated: &Stated,
    starts: &[usize],
) -> Option<Result<Found<'r>, Why>> {
    let mut refused = None;
    for pattern in &rule.patterns {
        let here = |at: usize| pattern.fits(tokens, at).map(|length| (at, at + length));
        let place = match pattern.place {
            Place::Clause => starts.iter().copied().find_map(here),
            Place::Sentence => here(stated.from),
            Place::Anywhere => (stated.from..tokens.len()).find_map(here),
        };
        if let Some((start, end)) = place {
            let clause = &tokens[start..];
            match guard(language, rule, tokens, start, end) {
                Some(why) => refused = refused.or(Some(why)),
                None if detail(language, clause) < rule.detail => {}
                None if rule.concrete && !is_concrete(language, tokens) => {}
                None => return Some(Ok(Found { rule, start, end })),
            }
        }
    }
    refused.map(Err)
}

/// The statement that a correction makes of what the speaker said before.
fn restated(context: &Context<'_>, span: &Range<usize>, correction: &Correction) -> Option<Candidate> {
    let (text, wrong) = correction::restated(context.language, context.said, context.before, correction)?;
    if !secrets(&text).is_empty() {
        return None;
    }
    let said = Said { content: &text, ..*context.said };
    let context = Context { said: &said, ..*context };
    let mut words = Vec::new();
    let mut candidate = read(&context, 0..text.len(), None, &mut words).ok()?.into_iter().next()?;
    candidate.corrects = true;
    candidate.corrected = Some(wrong);
    candidate.span = span.clone();
    Some(candidate)
}
