//! The input of extraction: a message, the messages before it, and options.

use std::ops::Range;

use super::language::Language;
use crate::conversation::Message;
use crate::memory::Role;
use crate::time::Timestamp;

/// Number of earlier messages used to interpret a message.
pub const BEFORE: usize = 6;

/// Longest sentence read as one, in bytes.
pub(super) const LONGEST_SENTENCE: usize = 600;

/// Shorter texts are read in the language of earlier messages, in bytes.
const TELLS_LANGUAGE: usize = 40;

/// A message as input to extraction.
#[derive(Clone, Copy, Debug)]
pub struct Said<'m> {
    /// Role of the speaker.
    pub role: Role,
    /// Name of the speaker; empty if unknown.
    pub name: &'m str,
    /// The text.
    pub content: &'m str,
    /// When it was said; without it, relative times are ignored.
    pub at: Option<Timestamp>,
}

impl<'m> Said<'m> {
    /// Takes a message, said at `now` unless it states a time; long ones are cut to `most` bytes.
    pub fn of(message: &'m Message, now: Timestamp, most: usize) -> Self {
        let content = &message.content[..message.content.floor_char_boundary(most)];
        Self { role: message.role, name: &message.name, content, at: Some(message.at.unwrap_or(now)) }
    }
}

impl Said<'_> {
    /// Guesses its language; a short message takes the language of the messages before it.
    pub fn language(&self, before: &[Said<'_>]) -> &'static Language {
        let telling = before.iter().rev().find(|one| one.content.len() >= TELLS_LANGUAGE);
        match telling {
            Some(telling) if self.content.len() < TELLS_LANGUAGE => Language::guess(telling.content),
            _ => Language::guess(self.content),
        }
    }

    /// The speaker's name, or the language's words for an unnamed one.
    pub(super) fn speaker<'s>(&'s self, language: &'s Language) -> &'s str {
        if self.name.is_empty() { language.unnamed(self.role) } else { self.name }
    }
}

/// Options of extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether health, religion and similar topics may be stored, as with consent; such candidates are marked sensitive.
    pub sensitive: bool,
}

/// The context for reading a claim.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    pub language: &'c Language,
    pub said: &'c Said<'c>,
    pub before: &'c [Said<'c>],
    pub options: Options,
    /// The secrets of the message.
    pub secrets: &'c [Range<usize>],
}
