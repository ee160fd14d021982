//! The slots of a vault's counters, as the schemas describe them.

use kimberly_core::memory::{MemoryState, Tier};

/// Memories ever created; also gives the next number.
pub(crate) const CREATED: usize = 9;
/// Memories ever deleted.
pub(crate) const DELETED: usize = 10;
/// Memories ever archived.
pub(crate) const ARCHIVED: usize = 11;
/// Changes to memories other than new ones, as far as recall sees them.
pub(crate) const RECALL: usize = 12;
/// Commits.
pub(crate) const COMMITS: usize = 13;
/// Changes of goals.
pub(crate) const GOALS: usize = 14;
/// The number of the audit's last entry.
pub(crate) const AUDITED: usize = 15;
/// Memories in the full-text index, and as their bytes the tokens in it; on Postgres alone.
pub(crate) const INDEXED: usize = 16;

/// The slot of a tier's memories in a state.
pub(crate) const fn of(tier: Tier, state: MemoryState) -> usize {
    tier as usize * 3 + state as usize
}
