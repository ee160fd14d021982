//! Sensitive memories, sealed once more under keys of their user: what may be sealed and opened here, and the words of
//! those memories, which stand in no index on disk.
//!
//! Words are kept while the vault is open, in memory alone (`kept`), made by the tokenizer of the full-text index itself
//! (`analyser`), and searched as that index searches its own (`words`).
//!
//! Tags, sessions, speakers and namespaces are not sealed, because SQL decides filters, limits of keys and scopes of
//! consents by them. Nor is what was counted of a text (size, words, sentiment, score).

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

/// Whether a filter lets any sealed memory through.
pub(crate) fn may_pass(filter: &MemoryFilter) -> bool {
    filter.sensitivity != SensitivityFilter::Exclude
}
