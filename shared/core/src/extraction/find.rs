//! Goes through a message: splits off non-prose, then reads each sentence; collects candidates and parts left out.

use std::ops::Range;

use super::blocks::blocks;
use super::candidate::{Candidate, Extraction, LeftOut, Why};
use super::language::Language;
use super::quotation::Quotation;
use super::said::{Context, LONGEST_SENTENCE, Options, Said};
use super::secrets::{MASK, secrets};
use super::speech::is_transcript;
use super::statement::read;
use super::tokens::fold_into;
use crate::bounds::MAX_EXTRACTED;
use crate::memory::Role;
use crate::text::sentences;

/// Extracts from a message in a language. `before` holds the earlier messages, the newest last; the last few serve to
/// resolve pronouns and corrections. Every candidate comes with the sentence that states it.
pub fn extract(language: &Language, said: &Said<'_>, before: &[Said<'_>], options: Options) -> Extraction {
    let mut found = Extraction::default();
    if matches!(said.role, Role::Tool | Role::System) {
        if !said.content.is_empty() {
            found.left_out.push(LeftOut { why: Why::ToolNoise, span: 0..said.content.len() });
        }
        return found;
    }
    let secrets = secrets(said.content);
    let spoken = is_transcript(language, said, before);
    let context = Context { language, said, before, options, spoken };
    let mut words = Vec::new();
    let mut last: Option<Range<usize>> = None;
    for block in blocks(said.content) {
        if let Some(why) = block.why {
            leave(&mut found, why, block.range);
            continue;
        }
        let Some(prose) = said.content.get(block.range.clone()) else { continue };
        let mut quotation = Quotation::default();
        for sentence in whole(language, prose) {
            let span = block.range.start + sentence.start..block.range.start + sentence.end;
            if quotation.covers(prose, &sentence) {
                leave(&mut found, Why::Quoted, span);
                last = None;
                continue;
            }
            let is_masked = prose.get(sentence).is_some_and(|sentence| sentence.contains(MASK));
            let holds_secret =
                is_masked || secrets.iter().any(|secret| secret.start < span.end && span.start < secret.end);
            let result =
                if holds_secret { Err(Why::Secret) } else { read(&context, span.clone(), last.as_ref(), &mut words) };
            match result {
                Ok(candidates) => add_new(&mut found, candidates, &span),
                Err(why) => leave(&mut found, why, span.clone()),
            }
            last = (!holds_secret).then_some(span);
        }
    }
    found
}

/// Splits a text into sentences; an abbreviation or the number of a day does not end one.
fn whole(language: &Language, prose: &str) -> Vec<Range<usize>> {
    let known = language.known();
    let word = |text: &str| {
        let mut folded = String::new();
        fold_into(text.trim_matches(|c: char| !c.is_alphanumeric()), &mut folded);
        language.word(&folded).1
    };
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in sentences::of(prose, LONGEST_SENTENCE) {
        let text = prose.get(range.clone()).unwrap_or_default();
        let last = joined.last_mut().filter(|last| range.end - last.start <= LONGEST_SENTENCE);
        if let Some(last) = last {
            let end = prose.get(last.clone()).unwrap_or_default();
            let end = end.strip_suffix('.').and_then(|end| end.rsplit([' ', '.', '(']).next()).unwrap_or_default();
            let day = end.len() <= 2 && end.bytes().all(|byte| byte.is_ascii_digit()) && !end.is_empty();
            let month = || word(text.split(' ').next().unwrap_or_default()) & known.month != 0;
            if word(end) & known.abbreviated != 0 || (day && month()) {
                last.end = range.end;
                continue;
            }
        }
        joined.push(range);
    }
    joined
}

/// Keeps candidates with new content.
fn add_new(found: &mut Extraction, candidates: Vec<Candidate>, span: &Range<usize>) {
    for candidate in candidates {
        let said_before = found.candidates.iter().any(|kept| kept.content == candidate.content);
        if said_before || found.candidates.len() >= MAX_EXTRACTED {
            leave(found, Why::Surplus, span.clone());
        } else {
            found.candidates.push(candidate);
        }
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
