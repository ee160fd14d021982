//! What extraction reads: a message, and how it is to be read.

use super::language::Language;
use crate::memory::Role;
use crate::time::Timestamp;

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
