//! What waits for a person: kinds of items, by which rule each arises, what can be done about it, and what a person decided.
//!
//! Pure: an item is computed of stored records whenever it is asked for. Only decisions are stored.

mod alike;
mod decided;
mod id;
mod promoted;
mod rules;

pub use alike::{Alike, pairs};
pub use decided::{Decided, Decision};
pub use id::ReviewId;
pub use promoted::Ground;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::memory::{Memory, names};
use crate::time::Timestamp;

/// What waits for a decision. Names are stored and a part of ids: they never change. Lists have them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewKind {
    /// Two records of which not both can hold.
    Contradiction,
    /// A part of what a record was derived from was erased.
    Stale,
    /// A record is not certain.
    Uncertain,
    /// A record is old, of no importance, and was never recalled or read.
    Clutter,
    /// Two records say the same.
    Duplicate,
    /// Records of lower layers may become one of a higher layer.
    Promotion,
    /// Records that say the same may become one.
    Merge,
}
names!(ReviewKind {
    Contradiction => "contradiction",
    Stale => "stale",
    Uncertain => "uncertain",
    Clutter => "clutter",
    Duplicate => "duplicate",
    Promotion => "promotion",
    Merge => "merge",
});

/// What can be done about an item. Names are stored: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewChange {
    /// The first record takes the place of the second.
    KeepFirst,
    /// The second record takes the place of the first.
    KeepSecond,
    /// Both hold: they do not exclude each other.
    KeepBoth,
    /// It is still true: it becomes more certain.
    Confirm,
    /// It goes to the archive, as a meditation archives.
    Archive,
    /// It is deleted, and can be restored within its grace window.
    Forget,
    /// A record of a higher layer is derived from them.
    Promote,
    /// One record takes the place of them all, and says what each of them says.
    Merge,
}
names!(ReviewChange {
    KeepFirst => "keep_first",
    KeepSecond => "keep_second",
    KeepBoth => "keep_both",
    Confirm => "confirm",
    Archive => "archive",
    Forget => "forget",
    Promote => "promote",
    Merge => "merge",
});

impl ReviewKind {
    /// What can be done about items of this kind.
    pub const fn changes(self) -> &'static [ReviewChange] {
        match self {
            Self::Contradiction => &[ReviewChange::KeepFirst, ReviewChange::KeepSecond, ReviewChange::KeepBoth],
            Self::Duplicate => &[ReviewChange::KeepFirst, ReviewChange::KeepSecond],
            Self::Stale | Self::Uncertain => &[ReviewChange::Confirm, ReviewChange::Forget],
            Self::Clutter => &[ReviewChange::Archive, ReviewChange::Forget],
            Self::Promotion => &[ReviewChange::Promote],
            Self::Merge => &[ReviewChange::Merge],
        }
    }

    /// How many records an id names.
    pub(crate) const fn records(self) -> RangeInclusive<usize> {
        match self {
            Self::Contradiction | Self::Duplicate | Self::Merge => 2..=2,
            Self::Stale | Self::Uncertain | Self::Clutter => 1..=1,
            Self::Promotion => 1..=2,
        }
    }
}

impl ReviewChange {
    /// Whether it can be taken back.
    pub const fn can_be_undone(self) -> bool {
        !matches!(self, Self::Confirm)
    }
}

/// An item: something about records that a person decides better than a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// Its id.
    pub id: ReviewId,
    /// The records: those of the id in its order and, of a promotion or a merge, those behind them.
    pub memories: Vec<Memory>,
    /// Why it is here.
    pub reason: String,
    /// What is done unless a person chooses otherwise.
    pub proposes: ReviewChange,
    /// When it arose.
    pub at: Timestamp,
    /// What speaks for a promotion; `None` of other kinds.
    pub ground: Option<Ground>,
}
