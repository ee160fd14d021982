//! Sensitive memories, sealed field by field under keys of their user: sealing, opening, and full-text search over
//! their words, which no index on disk contains.
//!
//! Words are cached in memory only, while the vault is open (`kept`). They are tokenized by the full-text index itself
//! (`analyser`) and searched like that index searches (`words`).
//!
//! Tags, sessions, speakers and namespaces are not sealed, because SQL evaluates filters, key limits and consent scopes
//! on them. Values derived from a text (size, words, sentiment, score) are not sealed either.

mod analyser;
mod kept;
mod seals;
mod snapshot;
mod words;

#[cfg(test)]
mod tests;

use kimberly_core::memory::{MemoryFilter, SensitivityFilter};

pub(crate) use analyser::{Analyser, Tokens};
pub(crate) use kept::KeptWords;
pub(crate) use seals::Seals;
pub(crate) use snapshot::{Lacking, Page, Snapshot, searched};
pub(crate) use words::{Indexed, Mark, Wanted, Words};

/// Reports whether a filter may match sealed memories.
pub(crate) fn may_pass(filter: &MemoryFilter) -> bool {
    filter.sensitivity != SensitivityFilter::Exclude
}
