//! The positions of a conversation that a summary covers, as stored in its record's `source_ref`.

use crate::memory::{Creator, Memory, RecordKind, SourceType};

/// The first and the last turn that a summary covers, by their positions in the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Covers {
    /// The first position.
    pub first: i64,
    /// The last position.
    pub last: i64,
}

impl Covers {
    /// Returns it in the form of a `source_ref`.
    pub fn to_source(self) -> String {
        format!("turns {} to {}", self.first, self.last)
    }

    /// Returns the range from the earlier first to the later last turn of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// Reads it from a summary that compacting made; `None` for any other record.
    pub fn of(memory: &Memory) -> Option<Self> {
        let draft = &memory.draft;
        let is_made = draft.kind == RecordKind::Summary
            && draft.created_by == Creator::System
            && draft.source_type == Some(SourceType::Consolidation);
        let (first, last) =
            draft.source_ref.as_deref().filter(|_| is_made)?.strip_prefix("turns ")?.split_once(" to ")?;
        Some(Self { first: first.parse().ok()?, last: last.parse().ok()? })
    }
}
