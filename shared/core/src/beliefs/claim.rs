//! What a record claims: of whom, what, and in which of the ways that may exclude another claim.

use std::collections::BTreeSet;

use super::value::Value;

/// What is claimed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Says {
    /// The only object of a predicate; whether that never changes.
    Only(Value, bool),
    /// That a statement is so, or that it is not.
    Holds(bool),
    /// That something was done, with the stems of its words.
    Did(BTreeSet<String>),
    /// That nothing of this was ever done.
    Never(BTreeSet<String>),
}

/// A claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// What it is about: claims of another key never exclude it.
    pub(super) key: String,
    /// What it says of that.
    pub(super) says: Says,
}

impl Says {
    /// How a row tells it.
    pub(super) const fn role(&self) -> i64 {
        match self {
            Self::Only(..) => 0,
            Self::Holds(true) => 1,
            Self::Holds(false) => 2,
            Self::Did(_) => 3,
            Self::Never(_) => 4,
        }
    }

    /// Whether claims of these roles may exclude each other.
    pub(super) const fn may_exclude(one: i64, two: i64) -> bool {
        matches!((one, two), (0, 0) | (1, 2) | (2, 1) | (3, 4) | (4, 3))
    }
}
