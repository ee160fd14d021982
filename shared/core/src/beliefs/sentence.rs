//! The tokens of a record's only sentence, and its subject.

use super::subject::subjects;
use super::words::Words;
use crate::memory::{Creator, MemoryDraft};
use crate::text::words::{fold, words};

/// Marks that end an object.
const PUNCTUATION: [char; 11] = [',', ';', ':', '.', '(', ')', '!', '"', '–', '—', '\n'];
/// Highest plausible age of a person, in years.
const OLDEST: i64 = 150;
/// The subject if no speaker is named.
const USER: &str = "the user";

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    text: &'t str,
    /// The folded word.
    pub(super) word: String,
    /// Whether a mark follows it.
    pub(super) ends: bool,
}

impl Token<'_> {
    /// Reports whether it begins with a capital.
    pub(super) fn capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Reports whether it looks like a name: a capital and small letters.
    pub(super) fn is_name(&self) -> bool {
        self.capital() && self.text.contains(char::is_lowercase)
    }

    /// Returns the token as a regular past form: "to miss" becomes "missed".
    pub(super) fn past(token: &Self) -> Self {
        Self { word: format!("{}ed", token.word.trim_end_matches('e')), ..token.clone() }
    }

    /// Returns the token with another word.
    pub(super) fn with(&self, word: String) -> Self {
        Self { word, ..self.clone() }
    }

    /// The number as an age in years.
    pub(super) fn age(&self) -> Option<i64> {
        let digits = self.word.len() <= 3 && self.word.bytes().all(|byte| byte.is_ascii_digit());
        self.word.parse().ok().filter(|age| digits && *age <= OLDEST)
    }

    /// The number of a day or year, without an ending: "3rd" is 3.
    pub(super) fn ordinal(&self) -> Option<u16> {
        let digits = self.word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ending = self.word.len() - digits.len();
        let is_ordinal = (1..=4).contains(&digits.len()) && matches!(ending, 0 | 2);
        digits.parse().ok().filter(|_| is_ordinal)
    }
}

/// Splits a text into words.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all: Vec<Token<'_>> = Vec::new();
    for part in text.split_inclusive(PUNCTUATION) {
        all.extend(words(part).map(|text| Token { text, word: fold(text), ends: false }));
        if let Some(last) = all.last_mut() {
            last.ends |= part.ends_with(PUNCTUATION);
        }
    }
    all
}

/// Normalizes a name for comparing subjects.
pub(super) fn subject(name: &str) -> String {
    let words: Vec<String> = words(name).map(fold).collect();
    let name = words.join(" ");
    if name.is_empty() || name == "user" { USER.to_owned() } else { name }
}

/// The subject of a sentence and where its predicate begins.
pub(super) struct Start {
    /// The subject.
    pub(super) subject: String,
    /// Index of the first token after the subject.
    pub(super) at: usize,
    /// Whether the sentence is about something that belongs to the subject.
    pub(super) owned: bool,
    /// Whether others share it: what "we" never did, one of us may have done.
    pub(super) shared: bool,
    /// Whether the same words mean the same subject.
    pub(super) same: Same,
}

/// Whether the same words mean the same subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Same {
    /// They do: the speaker, or the subject of the record.
    Surely,
    /// They are likely to: "my wife", "Ana".
    Likely,
    /// There may be several: "my sister lives in Rome" does not exclude another one's town.
    Several,
}

impl Start {
    /// A subject that is the speaker or the subject of the record.
    pub(super) const fn of(subject: String, at: usize, owned: bool) -> Self {
        Self { subject, at, owned, shared: false, same: Same::Surely }
    }
}

/// Finds every position where the first person, alone or with others, or the draft's subject at the beginning, does something.
pub(super) fn starts(language: &Words, draft: &MemoryDraft, tokens: &[Token<'_>]) -> Vec<Start> {
    let first = subjects(language, draft, tokens).into_iter().find(|start| !start.owned && !start.shared);
    let from = first.as_ref().map_or(0, |start| start.at);
    let further =
        tokens.iter().enumerate().skip(from).filter(|(_, token)| language.is_any(&["first", "we"], &token.word));
    let further = further.filter_map(|(at, token)| {
        let shared = language.is("we", &token.word);
        Some(Start { shared, ..Start::of(speaker(draft)?, at + 1, false) })
    });
    first.into_iter().chain(further).collect()
}

/// The person who says "I". An agent's first person is the agent.
pub(super) fn speaker(draft: &MemoryDraft) -> Option<String> {
    match draft.speaker.as_deref() {
        None if draft.created_by == Creator::Agent => None,
        speaker => Some(subject(speaker.unwrap_or_default())),
    }
}

/// The clause around a position: from the mark or word that begins it to the next mark or first-person pronoun.
pub(super) fn clause<'t, 's>(language: &Words, tokens: &'s [Token<'t>], at: usize) -> &'s [Token<'t>] {
    let (before, behind) = tokens.split_at(at.min(tokens.len()));
    let begins = |token: &Token<'_>| token.ends || language.is_any(&["and", "clause"], &token.word);
    let from = before.iter().rposition(begins).map_or(0, |last| last + 1);
    let over = behind.iter().position(|token| token.ends || language.is("first", &token.word));
    tokens.get(from..over.map_or(tokens.len(), |last| before.len() + last + 1)).unwrap_or_default()
}
