//! Checks a model's proposal against the message.

use std::ops::Range;

use super::grounds::{Grounds, agree, around, says_something};
use super::proposal::Proposal;
use super::task::speaker;
use crate::bounds::{MAX_EXTRACTED_BYTES, MAX_SOURCE_CONTEXT_BYTES, MAX_SUBJECT_BYTES};
use crate::extraction::{Candidate, Language, Nature, Said, ValidTime, mask};

/// Confidence of an accepted proposal: below what the judge is sure of.
const CONFIDENCE: f64 = 0.7;

/// Turns a proposal into a candidate if it is accepted; `spoken` holds the words of the conversation ([`spoken`]).
pub(super) fn candidate(proposal: &Proposal, said: &Said<'_>, spoken: &Grounds) -> Option<Candidate> {
    let class = proposal.class()?;
    let span = quoted(proposal, said)?;
    let quote = said.content.get(span.clone()).unwrap_or_default();
    let statement = proposal.statement.trim();
    if !agree(Language::guess(said.content), around(said.content, span.clone()), statement, false) {
        return None;
    }
    let subject = subject(proposal, said, spoken);
    let fits = !statement.is_empty()
        && statement.len() <= MAX_EXTRACTED_BYTES
        && subject.len() <= MAX_SUBJECT_BYTES
        && !statement.contains(char::is_control);
    if !fits || !spoken.hold(statement) {
        return None;
    }
    let context = format!("{}: {quote}", speaker(said));
    Some(Candidate {
        class,
        nature: Nature::State,
        content: statement.to_owned(),
        subject,
        source_context: context
            .get(..context.floor_char_boundary(MAX_SOURCE_CONTEXT_BYTES))
            .unwrap_or_default()
            .to_owned(),
        importance: proposal.importance(),
        confidence: CONFIDENCE,
        valid: ValidTime { from: said.at, to: None },
        period: None,
        ends: false,
        corrects: false,
        corrected: None,
        exclusive: None,
        sensitive: false,
        span,
    })
}

/// Finds the proposal's quote in the message, word for word.
fn quoted(proposal: &Proposal, said: &Said<'_>) -> Option<Range<usize>> {
    let quote = proposal.quote.trim();
    let start = said.content.find(quote).filter(|_| says_something(quote))?;
    Some(start..start + quote.len())
}

/// The proposed subject if the conversation names it, else the speaker.
fn subject(proposal: &Proposal, said: &Said<'_>, spoken: &Grounds) -> String {
    let subject = proposal.subject.trim();
    if spoken.name(subject) { subject } else { speaker(said) }.to_owned()
}

/// The words of a message and of those before it, speakers included.
pub(super) fn spoken(said: &Said<'_>, before: &[Said<'_>]) -> Grounds {
    Grounds::of(before.iter().chain([said]).flat_map(|said| [mask(said.content), speaker(said).into()]))
}
