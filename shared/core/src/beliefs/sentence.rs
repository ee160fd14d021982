//! The tokens of a record's only sentence, and whom it is about.

use super::words::Words;
use crate::memory::{Creator, MemoryDraft};
use crate::text::words::{fold, words};

/// Marks behind which an object is over.
const MARKS: [char; 11] = [',', ';', ':', '.', '(', ')', '!', '"', '–', '—', '\n'];
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

    /// Its number.
    pub(super) fn number(&self) -> Option<i64> {
        self.plain().parse().ok()
    }

    /// The number of a day without its ending: "3rd" is "3".
    pub(super) fn plain(&self) -> String {
        let digits = self.word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let digits = digits.trim_start_matches('0');
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { digits.to_owned() } else { self.word.clone() }
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

/// Finds the subject of a draft, or the first person, at the beginning; or the first person further on, if `anywhere`.
pub(super) fn start(language: &Words, draft: &MemoryDraft, tokens: &[Token<'_>], anywhere: bool) -> Option<Start> {
    if let Some(name) = draft.subject.as_deref() {
        let parts: Vec<String> = words(name).map(fold).collect();
        let here = tokens.iter().zip(&parts).filter(|(token, part)| token.word == **part).count();
        if here == parts.len() && here > 0 {
            let owned = tokens.get(here).is_some_and(|token| token.word == "s" && !token.capital());
            return Some(Start { subject: subject(name), at: here + usize::from(owned), owned });
        }
    }
    // What an agent says of itself is about the agent.
    let speaker = match draft.speaker.as_deref() {
        None if draft.created_by == Creator::Agent => return None,
        speaker => subject(speaker.unwrap_or_default()),
    };
    let first = tokens.first()?;
    if language.is("mine", &first.word) {
        return Some(Start { subject: speaker, at: 1, owned: true });
    }
    let reach = if anywhere { tokens.len() } else { 1 };
    let at = tokens[..reach].iter().position(|token| language.is("first", &token.word))? + 1;
    Some(Start { subject: speaker, at, owned: false })
}
