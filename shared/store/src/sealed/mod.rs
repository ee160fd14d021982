//! Sensitive memories, sealed field by field under keys of their user: sealing, opening, and full-text search over
//! their words, which no index on disk contains.
//!
//! Words are cached in memory only, while the vault is open (`words_cache`). They are tokenized by the full-text index itself
//! (`analyser`) and searched like that index searches (`words`).
//!
//! Tags, sessions, speakers and namespaces are not sealed, because SQL evaluates filters, key limits and consent scopes
//! on them. Values derived from a text (size, words, sentiment, score) are not sealed either.

mod analyser;
mod seals;
mod snapshot;
mod words;
mod words_cache;

#[cfg(test)]
mod tests;

use kimberly_core::memory::{MemoryFilter, SensitivityFilter};

pub(crate) use analyser::{Analyser, Tokens};
pub(crate) use seals::Seals;
pub(crate) use snapshot::{Lacking, Page, Snapshot, searched};
pub(crate) use words::{CiphertextId, Indexed, Wanted, Words};
pub(crate) use words_cache::WordsCache;

/// Reports whether a filter may match sealed memories.
pub(crate) fn may_pass(filter: &MemoryFilter) -> bool {
    filter.sensitivity != SensitivityFilter::Exclude
}
