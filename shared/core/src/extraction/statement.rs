//! Makes the candidate of a claim that is kept, or says why it is not.

use std::ops::Range;

use kimberly_language::judge::{Certainty, Owner, Polarity, Verdict};

use super::candidate::{Candidate, Class, Nature, Why};
use super::clauses::{Stated, opening, starts};
use super::content::Wording;
use super::correction::{self, Correction, correction};
use super::judged::{importance, is_sensitive, judge, made, may_be_kept, may_be_own, why};
use super::language::{Language, find};
use super::pronouns::kin_name;
use super::said::{Context, Said};
use super::secrets::secrets;
use super::tokens::{Token, tokens};
use super::when;

/// A claim of a message.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// Its bytes.
    pub span: Range<usize>,
    /// The statement that it is a clause of.
    pub whole: Range<usize>,
    /// The sentence before it in the message.
    pub last: Option<Range<usize>>,
    /// Whether that makes one claim: then it may be said again with this one.
    pub last_is_one: bool,
}

/// Reads a claim. Returns its candidate, or why there is none.
pub(super) fn read(
    context: &Context<'_>,
    claim: &Claim,
    verdict: &Verdict,
    words: &mut Vec<Token>,
) -> Result<Candidate, Why> {
    let (language, text) = (context.language, context.said.content);
    tokens(language, text, claim.span.clone(), words);
    let sentence = text.get(claim.span.clone()).unwrap_or_default();
    if sentence.contains(['{', '}']) {
        return Err(Why::Code);
    }
    let possible = may_be_kept(verdict);
    let corrects = correction(language, text, words).filter(|_| possible || corrects(verdict));
    if let Some(correction) = &corrects {
        match restated(context, &claim.span, correction) {
            // "No, it's Lisbon" names no subject.
            Err(Why::Nothing) if correction.wrong.is_none() => return Err(Why::Nothing),
            Err(Why::Nothing) => {}
            restated => return restated,
        }
    }
    let stated = Stated { from: opening(language, words, 0), to: words.len() };
    let known = language.known();
    let light = known.stop | known.vague | known.filler | known.conj | known.adv;
    if words.iter().all(|word| word.is(light) && !word.number) {
        return Err(why(verdict, sentence));
    }
    let mut at = Vec::new();
    starts(language, words, &stated, &mut at);
    let remembered = remembered(language, words, &stated, &at).filter(|_| may_be_own(verdict));
    let slot = slot(context, words, &stated, &at).filter(|_| holds(verdict));
    if !is_kept(verdict, slot.is_some()) && remembered.is_none() {
        return Err(why(verdict, sentence));
    }
    let (class, nature) = class(language, words, verdict);
    let wording = Wording { context: *context, words, from: remembered.unwrap_or(stated.from), claim };
    let (subject, told) = wording.told(verdict, class, nature).ok_or(Why::Nothing)?;
    // The sentence or the question before may have come along.
    if !secrets(&told).is_empty() {
        return Err(Why::Secret);
    }
    let sensitive = is_sensitive(verdict) || language.names_sensitive(&told) || language.names_sensitive(sentence);
    if sensitive && !context.options.sensitive {
        return Err(Why::Sensitive);
    }
    let named =
        context.said.at.and_then(|at| when::period(language, text, &words[stated.from..], at, nature == Nature::Plan));
    Ok(Candidate {
        class,
        nature,
        content: told,
        subject,
        source_context: wording.source_context(),
        importance: importance(verdict, corrects.is_some(), remembered.is_some()),
        confidence: f64::midpoint(f64::from(verdict.keep.probability), 1.0),
        valid: context.said.at.map_or_else(Default::default, |at| when::valid(nature, named, at)),
        period: named.map(|(period, _)| period),
        ends: ends(verdict) && !is_of_kin(language, words, verdict),
        corrects: corrects.is_some(),
        corrected: corrects.and_then(|correction| correction.wrong),
        exclusive: slot,
        sensitive,
        span: claim.span.clone(),
    })
}

/// Least probability of what is kept that fills a slot of one value, and of what ends something.
const FILLS_FROM: f32 = 0.4;
const ENDING_FROM: f32 = 0.6;

fn is_kept(verdict: &Verdict, fills: bool) -> bool {
    let likely = |from: f32| may_be_kept(verdict) && verdict.keep.probability >= from;
    verdict.keep.certainty == Certainty::Sure || (likely(FILLS_FROM) && fills) || (likely(ENDING_FROM) && ends(verdict))
}

/// The class and the nature of a statement. What was decided is a decision.
fn class(language: &Language, words: &[Token], verdict: &Verdict) -> (Class, Nature) {
    match made(verdict.kind.value) {
        (Class::Preference, nature) if words.iter().any(|word| word.is(language.known().deciding)) => {
            (Class::Decision, nature)
        }
        made => made,
    }
}

fn corrects(verdict: &Verdict) -> bool {
    verdict.polarity.value == Polarity::Corrects && verdict.owner.value.is_somebody()
}

/// Least probability from which a statement that ends something acts by itself.
const ENDS_FROM: f32 = 0.5;

fn ends(verdict: &Verdict) -> bool {
    verdict.polarity.value == Polarity::Ends && verdict.polarity.probability >= ENDS_FROM
}

/// Whether a statement names a relative although the judge takes it for one about the speaker: its owner is uncertain.
fn is_of_kin(language: &Language, words: &[Token], verdict: &Verdict) -> bool {
    let known = language.known();
    verdict.owner.value == Owner::Me && words.iter().any(|word| word.is(known.woman | known.man))
}

fn holds(verdict: &Verdict) -> bool {
    matches!(verdict.polarity.value, Polarity::Holds | Polarity::Corrects)
}

/// The first word behind "remember that", which keeps what follows whatever it is.
fn remembered(language: &Language, words: &[Token], stated: &Stated, starts: &[usize]) -> Option<usize> {
    let found = find(language.remember(), words, stated, starts);
    let (_, end) = found.filter(|(_, end)| *end < words.len())?;
    // "…, dass ich um neun anfange" is no sentence by itself.
    let subordinate = language.inverts() && words[end - 1].is(language.known().opens);
    Some(if subordinate { stated.from } else { end })
}

/// The slot of one value that a claim fills, such as "ana/home".
fn slot(context: &Context<'_>, words: &[Token], stated: &Stated, starts: &[usize]) -> Option<String> {
    let (language, said) = (context.language, context.said);
    language.slots().iter().find_map(|rule| {
        let (start, end) = find(&rule.patterns, words, stated, starts)?;
        let subject = match (start..end).find(|at| words[*at].is(language.known().kin)).filter(|_| rule.kin) {
            Some(kin) => kin_name(language, said, said.content, words, kin),
            None => said.speaker(language).to_owned(),
        };
        let key = rule.key.replace('*', &last_word(language, said, &words[start..end]));
        Some(format!("{}/{key}", subject.to_lowercase()))
    })
}

/// The last word with a topic, in lower case.
fn last_word(language: &Language, said: &Said<'_>, words: &[Token]) -> String {
    let known = language.known();
    let word = words.iter().rev().find(|token| !token.is(known.copula | known.stop));
    word.and_then(|token| said.content.get(token.range.clone())).map(str::to_lowercase).unwrap_or_default()
}

/// The corrected statement of an earlier message.
fn restated(context: &Context<'_>, span: &Range<usize>, correction: &Correction) -> Result<Candidate, Why> {
    let (language, said) = (context.language, context.said);
    let found = correction::restated(language, said, context.before, correction);
    let (text, wrong) = found.ok_or(Why::Nothing)?;
    if !secrets(&text).is_empty() {
        return Err(Why::Secret);
    }
    let restated = Said { content: &text, ..*said };
    // What preceded the message was said before the correction, too; it corrects no further.
    let context = Context { said: &restated, before: &[], secrets: &[], ..*context };
    let claim = Claim { span: 0..text.len(), whole: 0..text.len(), last: None, last_is_one: false };
    let verdicts = judge(&restated, &[], std::slice::from_ref(&claim));
    let candidate = read(&context, &claim, verdicts.first().ok_or(Why::Nothing)?, &mut Vec::new())?;
    Ok(Candidate { corrects: true, corrected: Some(wrong), span: span.clone(), ..candidate })
}
