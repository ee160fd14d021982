//! Slots of a vault's counters, as defined by the schemas.

use kimberly_core::memory::{MemoryState, Tier};

/// Memories ever created; also the last number given.
pub(crate) const CREATED: usize = 9;
/// Memories ever deleted.
pub(crate) const DELETED: usize = 10;
/// Memories ever archived.
pub(crate) const ARCHIVED: usize = 11;
/// Changes that recall sees, other than new memories. The bytes column counts those of rows that graphs are built from.
pub(crate) const RECALL: usize = 12;
/// Commits.
pub(crate) const COMMITS: usize = 13;
/// Goals.
pub(crate) const GOALS: usize = 14;
/// The number of the audit's last entry.
pub(crate) const AUDITED: usize = 15;
/// Memories in the full-text index, with its tokens in the bytes column; only on Postgres.
pub(crate) const INDEXED: usize = 16;

/// Returns the slot of a tier's memories in a state.
pub(crate) const fn of(tier: Tier, state: MemoryState) -> usize {
    tier as usize * 3 + state as usize
}

/// Random bits that distinguish a vault from an earlier one of the same user, shifted above any count of commits.
const INCARNATION_BITS: u32 = 20;
const INCARNATION_SHIFT: u32 = 43;

/// Returns the random bits in position, leaving room for a count below them.
pub(crate) const fn incarnation(random: u64) -> u64 {
    (random >> (u64::BITS - INCARNATION_BITS)) << INCARNATION_SHIFT
}
