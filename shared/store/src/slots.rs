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

/// Bits that tell a vault from another one that the same user had before, and how far up they stand: above any count of
/// commits.
const MARK_BITS: u32 = 20;
const MARK_SHIFT: u32 = 43;

/// A few bits of something random, which leave room for a count below them.
pub(crate) const fn mark(random: u64) -> u64 {
    (random >> (u64::BITS - MARK_BITS)) << MARK_SHIFT
}
