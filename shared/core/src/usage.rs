//! How much a vault holds, counted incrementally. Always equals a full recount.

use serde::{Deserialize, Serialize};

use crate::memory::{MemoryState, Tier};

/// Items and bytes of one tier in one state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Number of memories.
    pub items: u64,
    /// Sum of their `size_bytes`.
    pub bytes: u64,
}

/// Counts by tier and state, and totals over the vault's life.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Counts indexed by tier, then state, in the order of `Tier::ALL` and `MemoryState::ALL`.
    pub counts: [[Count; 3]; 3],
    /// Memories ever created.
    pub created: u64,
    /// Memories ever deleted by callers or erased by the system, each counted once.
    pub deleted: u64,
    /// Memories ever archived.
    pub archived: u64,
}

impl Usage {
    /// The count of a tier in a state.
    pub const fn count(&self, tier: Tier, state: MemoryState) -> Count {
        self.counts[tier as usize][state as usize]
    }

    /// The count of a tier in a state, mutable.
    pub const fn count_mut(&mut self, tier: Tier, state: MemoryState) -> &mut Count {
        &mut self.counts[tier as usize][state as usize]
    }

    /// Bytes of a tier that count against its quota.
    pub const fn active_bytes(&self, tier: Tier) -> u64 {
        self.count(tier, MemoryState::Active).bytes
    }

    /// The use of the archive allowance: archived and deleted memories of all tiers.
    pub fn archive(&self) -> Count {
        let mut sum = Count::default();
        for &tier in Tier::ALL {
            for state in [MemoryState::Archived, MemoryState::Deleted] {
                sum.items += self.count(tier, state).items;
                sum.bytes += self.count(tier, state).bytes;
            }
        }
        sum
    }
}
