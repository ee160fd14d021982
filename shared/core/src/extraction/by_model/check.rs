//! Whether a proposal says what the message says.

use std::collections::BTreeSet;
use std::ops::Range;

use super::proposal::Proposal;
use super::task::speaker;
use crate::bounds::{MAX_EXTRACTED_BYTES, MAX_SOURCE_CONTEXT_BYTES, MAX_SUBJECT_BYTES};
use crate::extraction::tokens::{Token, tokens};
use crate::extraction::{Candidate, Language, MASK, Nature, Said, ValidTime, mask, secrets};
use crate::text::words::{fold, stem, words};

/// How sure a proposal is that stands the check: below every rule that is sure.
const CONFIDENCE: f64 = 0.7;
/// Of the words of a statement, this part at least stands in the conversation; the rest is grammar and rewording.
const LEAST_KNOWN: f64 = 0.6;

/// The candidate that a proposal becomes, if it counts; `spoken` are the words of the conversation ([`spoken`]).
pub(super) fn candidate(proposal: &Proposal, said: &Said<'_>, spoken: &BTreeSet<String>) -> Option<Candidate> {
    let class = proposal.class()?;
    let span = quoted(proposal, said)?;
    let quote = said.content.get(span.clone()).unwrap_or_default();
    let statement = proposal.statement.trim();
    let is_secret = |text: &str| text.contains(MASK) || !secrets(text).is_empty();
    if is_secret(quote) || is_secret(statement) {
        return None;
    }
    let language = Language::guess(said.content);
    let (told, stated) = (tokens_of(language, quote), tokens_of(language, statement));
    let known = language.known();
    let holds = |tokens: &[Token], classes| tokens.iter().any(|token| token.is(classes));
    if holds(&told, known.sensitive) || holds(&stated, known.sensitive) {
        return None;
    }
    if holds(&told, known.negation) != holds(&stated, known.negation) {
        return None;
    }
    let subject = subject(proposal, said, spoken);
    let fits = !statement.is_empty()
        && statement.len() <= MAX_EXTRACTED_BYTES
        && subject.len() <= MAX_SUBJECT_BYTES
        && !statement.contains(char::is_control);
    if !fits || !is_grounded(statement, spoken) {
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
        polarity: None,
        valid: ValidTime { from: said.at, to: None },
        period: None,
        corrects: false,
        corrected: None,
        exclusive: None,
        sensitive: false,
        span,
    })
}

fn tokens_of(language: &Language, text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    tokens(language, text, 0..text.len(), &mut found);
    found
}

/// Where the message says what the proposal quotes, word for word.
fn quoted(proposal: &Proposal, said: &Said<'_>) -> Option<Range<usize>> {
    let quote = proposal.quote.trim();
    let says_something = words(quote).nth(1).is_some();
    let start = said.content.find(quote).filter(|_| says_something)?;
    Some(start..start + quote.len())
}

/// The proposed subject where the conversation names it, else the speaker.
fn subject(proposal: &Proposal, said: &Said<'_>, spoken: &BTreeSet<String>) -> String {
    let subject = proposal.subject.trim();
    let is_named = words(subject).next().is_some() && words(subject).all(|word| spoken.contains(&stemmed(word)));
    if is_named { subject } else { speaker(said) }.to_owned()
}

/// Whether names and numbers of a statement, and most of its words, stand in the conversation.
fn is_grounded(statement: &str, spoken: &BTreeSet<String>) -> bool {
    let (mut all, mut found) = (0.0, 0.0);
    for (index, word) in words(statement).enumerate() {
        let is_found = spoken.contains(&stemmed(word));
        let is_name = index > 0 && word.starts_with(char::is_uppercase);
        if !is_found && (is_name || word.contains(|c: char| c.is_ascii_digit())) {
            return false;
        }
        all += 1.0;
        found += f64::from(u8::from(is_found));
    }
    all > 0.0 && found >= LEAST_KNOWN * all
}

fn stemmed(word: &str) -> String {
    stem(&fold(word))
}

/// The words of a message and of those before it, with who spoke, by their stems.
pub(super) fn spoken(said: &Said<'_>, before: &[Said<'_>]) -> BTreeSet<String> {
    let texts = before.iter().chain([said]).flat_map(|said| [mask(said.content), speaker(said).into()]);
    let mut known = BTreeSet::new();
    for text in texts {
        known.extend(words(&text).map(stemmed));
    }
    known
}
