//! Reasons why no consent record covers a memory.

use crate::memory::names;

/// Why no record covers a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uncovered {
    /// No record would ever have covered it.
    None,
    /// The named record does not exist.
    Unknown,
    /// The named record, or the one that would cover it, has expired.
    Expired,
    /// The named record, or the one that would cover it, was retracted.
    Retracted,
    /// The named record, or every active one, is about other memories.
    Scope,
}
names!(Uncovered {
    None => "none",
    Unknown => "unknown",
    Expired => "expired",
    Retracted => "retracted",
    Scope => "scope",
});

impl Uncovered {
    /// Returns the reason as a clause of a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::None => "it is sensitive, and there is no record of consent",
            Self::Unknown => "the consent record that it names does not exist",
            Self::Expired => "the consent record for it has expired",
            Self::Retracted => "the consent for it was retracted",
            Self::Scope => "the recorded consent does not cover it",
        }
    }
}
