//! Changes of memories, as a vault records them for watchers.
//!
//! Numbers of changes rise without gaps in commit order. Only the oldest rows are ever removed, and never the last
//! one. So a cursor is a number, no number is reused, and a cursor whose successors were removed is recognized.

use super::names;
use crate::ids::MemoryId;
use crate::meditation::Reason;
use crate::time::Timestamp;

/// The kind of a change to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The memory was created or imported.
    Created,
    /// A caller changed it.
    Updated,
    /// The system archived it.
    Archived,
    /// A caller restored it from the archive or from deletion, or a new consent released it.
    Restored,
    /// A caller deleted it.
    Deleted,
    /// It was erased permanently.
    Erased,
    /// Its consent was retracted: no caller sees it any more.
    Withheld,
}
names!(ChangeKind {
    Created => "created",
    Updated => "updated",
    Archived => "archived",
    Restored => "restored",
    Deleted => "deleted",
    Erased => "erased",
    Withheld => "withheld",
});

/// One change of one memory, without content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Number of the change: rises by one with every change of the vault, in commit order, and is never reused.
    pub number: u64,
    /// Kind of the change.
    pub kind: ChangeKind,
    /// The memory.
    pub memory_id: MemoryId,
    /// Time of the change.
    pub at: Timestamp,
    /// The reason, if the system made the change.
    pub reason: Option<Reason>,
    /// The memory's revision after the change, 0 if it was erased.
    pub revision: u64,
}

/// The changes that a vault stores: all numbers from `oldest` to `newest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRange {
    /// The oldest kept; one above the newest if there never was one.
    pub oldest: u64,
    /// The newest; 0 if there never was one.
    pub newest: u64,
}

impl Default for ChangeRange {
    fn default() -> Self {
        Self { oldest: 1, newest: 0 }
    }
}

impl ChangeRange {
    /// Reports whether all changes after this number are stored. Numbers above the newest belong to another history of
    /// the vault, for example from before a backup was restored. Once the new history has reached the same numbers,
    /// the two cannot be distinguished: watchers must start over after a restore.
    pub const fn follows(self, number: u64) -> bool {
        self.oldest <= number.saturating_add(1) && number <= self.newest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_without_a_gap_behind_them_can_be_followed() {
        let range = ChangeRange { oldest: 5, newest: 9 };
        for (number, follows) in [(3, false), (4, true), (5, true), (9, true), (10, false), (u64::MAX, false)] {
            assert_eq!(range.follows(number), follows, "{number}");
        }
        assert!(ChangeRange::default().follows(0));
        assert!(!ChangeRange::default().follows(1));
    }
}
