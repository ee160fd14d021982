//! Changes of memories as a vault remembers them, so that a caller can follow what happens.
//!
//! Numbers of changes rise without gaps in the order of commits. Only the oldest rows are ever removed, and never the
//! last one: so a cursor is a number, no number is given twice, and a cursor whose successors are gone is recognized.

use super::names;
use crate::ids::MemoryId;
use crate::meditation::Reason;
use crate::time::Timestamp;

/// What happened to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It was created or imported.
    Created,
    /// A caller changed it.
    Updated,
    /// The system put it into the archive.
    Archived,
    /// A caller rescued it from the archive or from deletion, or by a new consent after it was withheld.
    Restored,
    /// A caller deleted it.
    Deleted,
    /// It was erased for good.
    Erased,
    /// The consent that it was stored under was retracted: nobody sees it any more.
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

/// One change of one memory; holds no content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number: rises by one with every change of the vault, in the order of commits, and is never used again.
    pub number: u64,
    /// What happened.
    pub kind: ChangeKind,
    /// The memory.
    pub memory_id: MemoryId,
    /// When.
    pub at: Timestamp,
    /// Why, if the system did it.
    pub reason: Option<Reason>,
    /// The memory's revision after the change, 0 if it was erased.
    pub revision: u64,
}

/// The changes that a vault keeps: all numbers from the oldest to the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRange {
    /// The oldest that is kept; one above the newest if there never was one.
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
    /// Whether everything that happened after this number is kept. Numbers above the newest were given by another history
    /// of the vault, such as the one before a copy was put back. Once the new history has come as far, its numbers cannot
    /// be told from the old one's: after a copy is put back, watchers start over.
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
