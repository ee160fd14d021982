//! A text under a key.

use crate::time::Timestamp;

/// A text under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingEntry {
    /// The text; `None` where an adapter loaded the entry for its size and times alone.
    pub value: Option<String>,
    /// The bytes of its text.
    pub value_bytes: usize,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was last read or written.
    pub used_at: Timestamp,
}

impl WorkingEntry {
    /// The bytes that it counts for under its key.
    pub(super) const fn bytes(&self, key: &str) -> usize {
        key.len() + self.value_bytes
    }
}
