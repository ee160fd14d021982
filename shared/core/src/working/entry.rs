//! Entries of working memory.

use crate::time::Timestamp;

/// An entry of working memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingEntry {
    /// The text; `None` if an adapter loaded only the entry's size and times.
    pub value: Option<String>,
    /// Size of the text, in bytes.
    pub value_bytes: usize,
    /// When the entry expires.
    pub expires_at: Timestamp,
    /// When it was last read or written.
    pub used_at: Timestamp,
}

impl WorkingEntry {
    /// The bytes it counts for, key included.
    pub(super) const fn bytes(&self, key: &str) -> usize {
        key.len() + self.value_bytes
    }
}
