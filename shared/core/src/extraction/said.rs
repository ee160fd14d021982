//! What extraction reads: a message, and how it is to be read.

use super::language::Language;
use crate::conversation::Message;
use crate::memory::Role;
use crate::time::Timestamp;

/// Messages before one that tell what it means.
pub const BEFORE: usize = 6;

/// A message as extraction reads it.
#[derive(Clone, Copy, Debug)]
pub struct Said<'m> {
    /// Who spoke.
    pub role: Role,
    /// Their name; empty if it is not known.
    pub name: &'m str,
    /// What was said.
    pub content: &'m str,
    /// When it was said; relative times are left unread without it.
    pub at: Option<Timestamp>,
}

impl<'m> Said<'m> {
    /// A message that was said now unless it tells when; of long ones the first bytes.
    pub fn of(message: &'m Message, now: Timestamp, most: usize) -> Self {
        let content = &message.content[..message.content.floor_char_boundary(most)];
        Self { role: message.role, name: &message.name, content, at: Some(message.at.unwrap_or(now)) }
    }
}

impl Said<'_> {
    /// The name to write for the speaker, in the words of a language where they have none.
    pub(super) fn speaker<'s>(&'s self, language: &'s Language) -> &'s str {
        if self.name.is_empty() { language.unnamed(self.role) } else { self.name }
    }
}

/// How a message is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether health, religion and the like may be kept, as with consent; such candidates say that they are sensitive.
    pub sensitive: bool,
}
