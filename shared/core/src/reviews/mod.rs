//! Items that wait for a person: their kinds, the rules by which they arise, what can be done about them, and what was
//! decided.
//!
//! Pure: items are computed from stored records on each request. Only decisions are stored.

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

/// The kind of an item. Names are stored and part of ids, so they never change. Lists use this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewKind {
    /// Two records that cannot both be true.
    Contradiction,
    /// A part of what a record was derived from was erased.
    Stale,
    /// A record has low confidence.
    Uncertain,
    /// A record is old and unimportant, and was never recalled or read.
    Clutter,
    /// Two records say the same.
    Duplicate,
    /// Records of lower layers may become one of a higher layer.
    Promotion,
    /// Records that say the same may become one.
    Merge,
    /// A record ended by itself, as a newer statement or a night replaced it. Nothing waits: listed only if asked for.
    Replaced,
}
names!(ReviewKind {
    Contradiction => "contradiction",
    Stale => "stale",
    Uncertain => "uncertain",
    Clutter => "clutter",
    Duplicate => "duplicate",
    Promotion => "promotion",
    Merge => "merge",
    Replaced => "replaced",
});

/// The possible changes of an item. Names are stored, so they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewChange {
    /// The first record replaces the second.
    KeepFirst,
    /// The second record replaces the first.
    KeepSecond,
    /// Both hold: they do not contradict each other.
    KeepBoth,
    /// It is still true, which raises its confidence.
    Confirm,
    /// It moves to the archive, as if by a meditation.
    Archive,
    /// It is deleted, and can be restored within its grace window.
    Forget,
    /// A record of a higher layer is derived from the records.
    Promote,
    /// One record replaces them all, and says what each of them says.
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
    /// Reports whether its items wait for a decision: those that do are listed if no kind is named.
    pub const fn waits(self) -> bool {
        !matches!(self, Self::Replaced)
    }

    /// Returns what can be done about items of this kind.
    pub const fn changes(self) -> &'static [ReviewChange] {
        match self {
            Self::Contradiction => &[ReviewChange::KeepFirst, ReviewChange::KeepSecond, ReviewChange::KeepBoth],
            Self::Duplicate => &[ReviewChange::KeepFirst, ReviewChange::KeepSecond],
            Self::Replaced => &[ReviewChange::KeepBoth, ReviewChange::KeepFirst],
            Self::Stale | Self::Uncertain => &[ReviewChange::Confirm, ReviewChange::Forget],
            Self::Clutter => &[ReviewChange::Archive, ReviewChange::Forget],
            Self::Promotion => &[ReviewChange::Promote],
            Self::Merge => &[ReviewChange::Merge],
        }
    }

    /// Returns how many records an id names.
    pub(crate) const fn records(self) -> RangeInclusive<usize> {
        match self {
            Self::Contradiction | Self::Duplicate | Self::Merge | Self::Replaced => 2..=2,
            Self::Stale | Self::Uncertain | Self::Clutter => 1..=1,
            Self::Promotion => 1..=2,
        }
    }
}

impl ReviewChange {
    /// Reports whether it can be undone.
    pub const fn can_be_undone(self) -> bool {
        !matches!(self, Self::Confirm)
    }
}

/// An item: something about records that a person decides better than a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// Its id.
    pub id: ReviewId,
    /// The records: those of the id, in its order, and any further ones of a promotion or a merge.
    pub memories: Vec<Memory>,
    /// Why the item exists.
    pub reason: String,
    /// The change that is proposed.
    pub proposes: ReviewChange,
    /// When the item arose.
    pub at: Timestamp,
    /// The grounds of a promotion; `None` for other kinds.
    pub ground: Option<Ground>,
}
