//! The tokens of a record's only sentence, and whom it is about.

use super::words::Words;
use crate::memory::{Creator, MemoryDraft};
use crate::text::words::{fold, words};

/// Marks behind which an object is over.
const MARKS: [char; 11] = [',', ';', ':', '.', '(', ')', '!', '"', '–', '—', '\n'];
/// The highest age of anybody.
const OLDEST: i64 = 150;
/// Who speaks where nobody is named.
const USER: &str = "the user";

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    text: &'t str,
    /// Folded.
    pub(super) word: String,
    /// Whether a mark stands behind it.
    pub(super) ends: bool,
}

impl Token<'_> {
    /// Whether it begins with a capital.
    pub(super) fn capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// The same as a regular past form: "to miss" is "missed".
    pub(super) fn past(token: &Self) -> Self {
        Self { word: format!("{}ed", token.word.trim_end_matches('e')), ..token.clone() }
    }

    /// Its number, as an age in years.
    pub(super) fn age(&self) -> Option<i64> {
        let digits = self.word.len() <= 3 && self.word.bytes().all(|byte| byte.is_ascii_digit());
        self.word.parse().ok().filter(|age| digits && *age <= OLDEST)
    }

    /// The number of a day or a year, without an ending: "3rd" is 3.
    pub(super) fn ordinal(&self) -> Option<u16> {
        let digits = self.word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ending = self.word.len() - digits.len();
        let is_ordinal = (1..=4).contains(&digits.len()) && matches!(ending, 0 | 2);
        digits.parse().ok().filter(|_| is_ordinal)
    }
}

/// The words of a text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all: Vec<Token<'_>> = Vec::new();
    for part in text.split_inclusive(MARKS) {
        all.extend(words(part).map(|text| Token { text, word: fold(text), ends: false }));
        if let Some(last) = all.last_mut() {
            last.ends |= part.ends_with(MARKS);
        }
    }
    all
}

/// A name as subjects are compared.
pub(super) fn subject(name: &str) -> String {
    let words: Vec<String> = words(name).map(fold).collect();
    let name = words.join(" ");
    if name.is_empty() || name == "user" { USER.to_owned() } else { name }
}

/// Whom a sentence is about, and where it says what.
pub(super) struct Start {
    /// Whom.
    pub(super) subject: String,
    /// The first token behind it.
    pub(super) at: usize,
    /// Whether it is about what belongs to it.
    pub(super) owned: bool,
}

/// Finds the subject of a draft, or the first person, at the beginning.
pub(super) fn start(language: &Words, draft: &MemoryDraft, tokens: &[Token<'_>]) -> Option<Start> {
    if let Some(name) = draft.subject.as_deref() {
        let parts: Vec<String> = words(name).map(fold).collect();
        let here = tokens.iter().zip(&parts).filter(|(token, part)| token.word == **part).count();
        if here == parts.len() && here > 0 {
            let owned = tokens.get(here).is_some_and(|token| token.word == "s" && !token.capital());
            return Some(Start { subject: subject(name), at: here + usize::from(owned), owned });
        }
    }
    let first = tokens.first()?;
    let owned = language.is("mine", &first.word);
    let begins = owned || language.is("first", &first.word);
    begins.then(|| Some(Start { subject: speaker(draft)?, at: 1, owned }))?
}

/// Wherever the first person, or the subject of a draft at the beginning, does something.
pub(super) fn starts(language: &Words, draft: &MemoryDraft, tokens: &[Token<'_>]) -> Vec<Start> {
    let first = start(language, draft, tokens).filter(|start| !start.owned);
    let from = first.as_ref().map_or(0, |start| start.at);
    let further = tokens.iter().enumerate().skip(from).filter(|(_, token)| language.is("first", &token.word));
    let further = further.filter_map(|(at, _)| Some(Start { subject: speaker(draft)?, at: at + 1, owned: false }));
    first.into_iter().chain(further).collect()
}

/// Who says "I". What an agent says of itself is about the agent.
fn speaker(draft: &MemoryDraft) -> Option<String> {
    match draft.speaker.as_deref() {
        None if draft.created_by == Creator::Agent => None,
        speaker => Some(subject(speaker.unwrap_or_default())),
    }
}
