//! Reads one sentence: its statements, the rules matching its clauses, and the resulting candidates.

use std::ops::Range;

use super::candidate::{Candidate, Nature, Why};
use super::claims;
use super::clauses::{Stated, aside, beginning, is_boundary, starts, stated};
use super::content::{self, Found};
use super::correction::{self, Correction, correction};
use super::guards::{SURE, guard, why_nothing};
use super::language::{Language, MatchStart, Rule};
use super::said::{Context, Said};
use super::secrets::secrets;
use super::speech::SURE_ALOUD;
use super::tokens::{Before, Token, tokens};
use super::weight::{detail, is_concrete};
use crate::memory::Role;

/// Most statements from one sentence.
const MOST: usize = 2;

/// Fewest words with a topic of a clause that ends in a word such as "it".
const LEAST_BEFORE_DANGLING: usize = 2;

/// Reads the sentence at `span`; `last` is the previous one in the message. Returns candidates or why there is none.
pub(super) fn read(
    context: &Context<'_>,
    span: Range<usize>,
    last: Option<&Range<usize>>,
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
    let parts = if asks { Vec::new() } else { claims::parts(language, words, &span) };
    let whole = read_whole(context, span, asks, last, words)?;
    // A frame such as "if" or "in my dream" holds for the whole sentence: its parts count only if that does.
    if parts.is_empty() || whole.iter().any(|candidate| candidate.corrects) {
        return Ok(whole);
    }
    let context_of_all = whole.first().map(|candidate| candidate.source_context.clone()).unwrap_or_default();
    let mut claims: Vec<Candidate> = Vec::new();
    for part in parts {
        tokens(language, text, part.clone(), words);
        match read_whole(context, part, asks, last, words) {
            Ok(candidates) => claims
                .extend(candidates.into_iter().map(|one| Candidate { source_context: context_of_all.clone(), ..one })),
            Err(_) => return Ok(whole),
        }
    }
    Ok(claims)
}

/// Reads a sentence or a part of one, as one claim of each class.
fn read_whole(
    context: &Context<'_>,
    span: Range<usize>,
    asks: bool,
    last: Option<&Range<usize>>,
    words: &mut [Token],
) -> Result<Vec<Candidate>, Why> {
    let (language, text) = (context.language, context.said.content);
    let mut first = stated(language, words, asks);
    if let Some(first) = &mut first {
        first.to = dictated(language, text, words, first);
    }
    let second = aside(language, words, first.as_ref().map_or(0, |stated| stated.to));
    if first.is_none() && second.is_none() {
        return Err(Why::Question);
    }
    let corrects = correction(language, text, words);
    let (mut candidates, mut refused) = (Vec::new(), None);
    for stated in first.iter().chain(&second) {
        let found = matches(context, words, stated);
        let made = content::Sentence { context: *context, words, stated, span: span.clone(), last: last.cloned() };
        let made = found.and_then(|found| candidates_of(&made, &found, corrects.as_ref()).map_err(Some));
        match made {
            Ok(made) => candidates.extend(made),
            Err(why) => refused = refused.or(why),
        }
    }
    // A correction that names the wrong value can be restated safely.
    if let Some(correction) = corrects.filter(|correction| candidates.is_empty() || correction.wrong.is_some())
        && let Some(restated) = restated(context, &span, &correction)
    {
        return Ok(vec![restated]);
    }
    if !candidates.is_empty() {
        return Ok(candidates);
    }
    Err(refused.unwrap_or_else(|| why_nothing(language, words, asks)))
}

/// Builds candidates from the matches in one part of a sentence.
fn candidates_of(
    made: &content::Sentence<'_>,
    found: &[Found<'_>],
    corrects: Option<&Correction>,
) -> Result<Vec<Candidate>, Why> {
    let mut candidates = Vec::with_capacity(found.len());
    let mut refused = None;
    for (index, one) in found.iter().enumerate() {
        // A clause nested in another does not end it: "the shop that I bought".
        let parts = |at: &usize| is_boundary(made.context.language, made.words, *at);
        let end = found.get(index + 1).map(|next| next.start).filter(parts).unwrap_or(made.stated.to);
        match made.candidate(one, index == 0, end, corrects) {
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

/// Finds the rules that match clauses of a sentence, from left to right, or why no match counts.
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
        let fitting = fits(context.language, rule, tokens, stated, &at);
        // Keeps nothing that is only thought aloud.
        let aloud = |one: &Found<'_>| context.spoken && !is_kept_aloud(context, one, tokens);
        match fitting.filter(|one| !one.as_ref().is_ok_and(aloud)) {
            Some(Ok(one)) => found.push(one),
            Some(Err(why)) => refused = refused.or(Some(why)),
            None => {}
        }
    }
    found.sort_by_key(|one| one.start);
    // A second class needs a clause of its own, and none counts after an instruction.
    let begins = |at: usize| beginning(context.language, words, stated, at);
    found.dedup_by(|next, one| {
        next.start < one.end + 1 || begins(next.start) <= one.start || one.rule.nature == Nature::Instruction
    });
    found.truncate(MOST);
    if found.is_empty() { Err(refused) } else { Ok(found) }
}

/// The first clause that a rule matches, or why it does not count there.
fn fits<'r>(
    language: &Language,
    rule: &'r Rule,
    tokens: &[Token],
    stated: &Stated,
    starts: &[usize],
) -> Option<Result<Found<'r>, Why>> {
    let mut refused = None;
    let task = is_task(language, tokens, stated);
    let known = language.known();
    let person = |token: &Token| token.is(known.first | known.mine | known.me | known.plural);
    let personal = tokens[stated.from..].iter().any(person);
    for pattern in &rule.patterns {
        let here = |at: usize| pattern.fits(tokens, at).map(|length| (at, at + length));
        let found = match pattern.match_start {
            MatchStart::Clause => starts.iter().copied().find_map(here),
            MatchStart::Sentence => here(stated.from).or_else(|| here(0).filter(|_| opens(language, tokens, stated))),
            MatchStart::Anywhere => (stated.from..tokens.len()).find_map(here),
        };
        // A match anywhere in a sentence must at least be in one about the speaker.
        let unsure = task || (pattern.match_start == MatchStart::Anywhere && !personal);
        if let Some((start, end)) = found {
            let clause = &tokens[start..];
            match guard(language, rule, tokens, stated.from, (start, end)) {
                Some(why) => refused = refused.or(Some(why)),
                None if detail(language, clause) < rule.detail || dangles(language, rule, clause) => {}
                None if rule.confidence < SURE && unsure => {}
                None if rule.concrete && !is_concrete(language, tokens, stated.from, start) => {}
                None => return Some(Ok(Found { rule, start, end })),
            }
        }
    }
    refused.map(Err)
}

/// Reports whether a clause names its object elsewhere: "I like holding them." Plans count all the same.
fn dangles(language: &Language, rule: &Rule, clause: &[Token]) -> bool {
    let end = (1..clause.len()).find(|at| clause[*at].before >= Before::Pause).unwrap_or(clause.len());
    let stands = clause[..end].last().is_some_and(|last| last.is(language.known().dangling));
    stands && rule.nature != Nature::Plan && detail(language, &clause[..end]) < LEAST_BEFORE_DANGLING
}

/// Reports whether a match counts in a transcript of speech: its rule is sure, or the clause names a day, a month, a year or
/// an amount of money.
fn is_kept_aloud(context: &Context<'_>, found: &Found<'_>, tokens: &[Token]) -> bool {
    let dated = context.language.known().month | context.language.known().weekday;
    let year = |token: &Token| {
        let word = context.said.content.get(token.range.clone()).unwrap_or_default();
        word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && token.number
    };
    let before = |token: &Token| context.said.content.get(..token.range.start).unwrap_or_default();
    let money = |token: &Token| token.number && before(token).ends_with(['£', '$', '€']);
    // People instruct each other there, not an assistant.
    let sure = found.rule.confidence >= SURE_ALOUD && found.rule.nature != Nature::Instruction;
    sure || tokens[found.start..].iter().any(|token| token.is(dated) || year(token) || money(token))
}

/// The end of what a sentence states: the colon after a task, which a text to work on follows ("Write a story: I am …").
fn dictated(language: &Language, text: &str, tokens: &[Token], stated: &Stated) -> usize {
    let colon = |at: &usize| text[tokens[at - 1].range.end..tokens[*at].range.start].contains(':');
    let task = tokens[stated.from..stated.to].iter().take(2).any(|token| token.is(language.known().ordering));
    (stated.from + 1..stated.to).find(|at| task && colon(at)).unwrap_or(stated.to)
}

/// Reports whether a part of a sentence gives a task: exercises and writing tasks are no statements.
fn is_task(language: &Language, tokens: &[Token], stated: &Stated) -> bool {
    let known = language.known();
    let part = &tokens[stated.from..];
    part.iter().any(|token| token.is(known.exercise)) || part.iter().take(2).any(|token| token.is(known.ordering))
}

/// Reports whether only fillers such as "no" precede a part of a sentence.
fn opens(language: &Language, tokens: &[Token], stated: &Stated) -> bool {
    let known = language.known();
    tokens[..stated.from].iter().all(|token| token.is(known.filler | known.conj))
}

/// The statement that results from correcting an earlier one of the speaker.
fn restated(context: &Context<'_>, span: &Range<usize>, correction: &Correction) -> Option<Candidate> {
    let (text, wrong) = correction::restated(context.language, context.said, context.before, correction)?;
    if !secrets(&text).is_empty() {
        return None;
    }
    let said = Said { content: &text, ..*context.said };
    // Without earlier messages it cannot correct anything again.
    let context = Context { said: &said, before: &[], ..*context };
    let mut words = Vec::new();
    let mut candidate = read(&context, 0..text.len(), None, &mut words).ok()?.into_iter().next()?;
    candidate.corrects = true;
    candidate.corrected = Some(wrong);
    candidate.span = span.clone();
    Some(candidate)
}
