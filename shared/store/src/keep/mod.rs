//! What is kept in memory of a vault for its readers, so that they need not ask for it: derived, valid for one state of the
//! vault, and bound in bytes for all vaults together.

mod budget;
mod keeper;

pub(crate) use budget::Budget;
pub(crate) use keeper::{Keep, Keeper, Kept, Seen};

/// Where a snapshot stands, as far as recall sees.
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
    /// Whether something happened that the other one does not know of.
    pub(crate) fn is_beyond(self, other: Self) -> bool {
        self.created > other.created || self.changes > other.changes
    }
}
