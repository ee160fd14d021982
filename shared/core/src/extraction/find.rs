//! Goes through a message: splits off non-prose and cuts the rest into claims, has them judged, then reads each; collects
//! candidates and parts left out.

use std::ops::Range;

use super::abbreviations::sentences;
use super::blocks::blocks;
use super::candidate::{Candidate, Extraction, LeftOut, Why};
use super::claims::claims;
use super::judged::judge;
use super::language::Language;
use super::said::{Context, Options, Said};
use super::secrets::{MASK, secrets};
use super::statement::{Claim, read};
use super::tokens::tokens;
use crate::bounds::MAX_EXTRACTED;
use crate::memory::Role;

/// Extracts from a message in a language. `before` holds the earlier messages, the newest last. Every candidate comes with
/// the sentence or clause that states it. What an assistant says is the person's only once they say it themselves.
pub fn extract(language: &Language, said: &Said<'_>, before: &[Said<'_>], options: Options) -> Extraction {
    let mut found = Extraction::default();
    if said.role != Role::User {
        let why = if said.role == Role::Assistant { Why::Nothing } else { Why::ToolNoise };
        if !said.content.is_empty() {
            found.left_out.push(LeftOut { why, span: 0..said.content.len() });
        }
        return found;
    }
    let secrets = secrets(said.content);
    let context = Context { language, said, before, options, secrets: &secrets };
    let parts = parts(language, said.content);
    let all: Vec<Claim> = parts.iter().filter_map(|part| part.as_ref().ok()).cloned().collect();
    let mut verdicts = judge(said, before, &all).into_iter();
    let mut words = Vec::new();
    for part in &parts {
        let claim = match part {
            Ok(claim) => claim,
            Err(left) => {
                leave(&mut found, left.why, left.span.clone());
                continue;
            }
        };
        let Some(verdict) = verdicts.next() else { break };
        let span = claim.span.clone();
        let is_masked = said.content.get(span.clone()).is_some_and(|claim| claim.contains(MASK));
        let holds_secret = is_masked || secrets.iter().any(|secret| secret.start < span.end && span.start < secret.end);
        let result = if holds_secret { Err(Why::Secret) } else { read(&context, claim, &verdict, &mut words) };
        match result {
            Ok(candidate) => add_new(&mut found, candidate),
            Err(why) => leave(&mut found, why, span),
        }
    }
    found
}

/// The claims of a text, in order.
pub(super) fn claims_of(language: &Language, text: &str) -> Vec<Claim> {
    parts(language, text).into_iter().filter_map(Result::ok).collect()
}

/// The claims of a text, and the parts that are no prose, in order.
fn parts(language: &Language, text: &str) -> Vec<Result<Claim, LeftOut>> {
    let mut parts = Vec::new();
    let mut words = Vec::new();
    for block in blocks(text) {
        if let Some(why) = block.why {
            parts.push(Err(LeftOut { why, span: block.range }));
            continue;
        }
        let Some(prose) = text.get(block.range.clone()) else { continue };
        let (mut last, mut last_is_one): (Option<Range<usize>>, bool) = (None, false);
        for sentence in sentences(language, prose) {
            let span = block.range.start + sentence.start..block.range.start + sentence.end;
            tokens(language, text, span.clone(), &mut words);
            let found = claims(language, text, &words, &span);
            let is_one = found.len() == 1;
            let claim = |(span, whole)| Claim { span, whole, last: last.clone(), last_is_one };
            parts.extend(found.into_iter().map(claim).map(Ok));
            last_is_one = is_one;
            last = Some(span);
        }
    }
    parts
}

/// Keeps a candidate with new content.
fn add_new(found: &mut Extraction, candidate: Candidate) {
    let said_before = found.candidates.iter().any(|kept| kept.content == candidate.content);
    if said_before || found.candidates.len() >= MAX_EXTRACTED {
        leave(found, Why::Surplus, candidate.span);
    } else {
        found.candidates.push(candidate);
    }
}

/// Records a part as left out; joins it with the previous one if the reason is the same.
fn leave(found: &mut Extraction, why: Why, span: Range<usize>) {
    let kept = found.candidates.last().map_or(0, |kept| kept.span.start);
    match found.left_out.last_mut() {
        // Not if something between the two was kept.
        Some(last) if last.why == why && kept <= last.span.start => last.span.end = last.span.end.max(span.end),
        _ => found.left_out.push(LeftOut { why, span }),
    }
}
