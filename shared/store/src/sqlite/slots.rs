//! The slots of the table `counters`, as the schema describes them.

use kimberly_core::memory::{MemoryState, Tier};

/// Memories ever created; also gives the next number.
pub(crate) const CREATED: usize = 9;
/// Memories ever deleted.
pub(crate) const DELETED: usize = 10;
/// Memories ever archived.
pub(crate) const ARCHIVED: usize = 11;
/// Commits.
pub(crate) const COMMITS: usize = 13;

/// The slot of a tier's memories in a state.
pub(crate) const fn of(tier: Tier, state: MemoryState) -> usize {
    tier as usize * 3 + state as usize
}
