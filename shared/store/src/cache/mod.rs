//! Caches of a vault in memory, shared by its readers. A cache is derived, valid for one state of the vault, and counts
//! against one budget for all vaults.

mod budget;
mod vault_cache;

pub(crate) use budget::Budget;
pub(crate) use vault_cache::{CacheEntry, CacheLookup, Loading, Seen, VaultCache};

/// Position of a snapshot in the history that recall sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Memories ever created.
    pub(crate) created: i64,
    /// Other changes that recall sees.
    pub(crate) changes: i64,
    /// Memories in any state.
    pub(crate) items: u64,
}

impl Stamp {
    /// Reports whether this stamp includes a change that `other` lacks.
    pub(crate) fn is_beyond(self, other: Self) -> bool {
        self.created > other.created || self.changes > other.changes
    }
}
