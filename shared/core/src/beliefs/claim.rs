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

/// The role of [`Says::Only`].
const ONLY: i64 = 0;

impl Says {
    /// How a row tells it.
    pub(super) const fn role(&self) -> i64 {
        match self {
            Self::Only(..) => ONLY,
            Self::Holds(true) => 1,
            Self::Holds(false) => 2,
            Self::Did(_) => 3,
            Self::Never(_) => 4,
        }
    }

    /// What tells two objects of one predicate apart; nothing where all of what is claimed is in the key or compared by its words.
    pub(super) fn value(&self) -> Option<String> {
        match self {
            Self::Only(value, _) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Whether claims of one key may exclude each other, by their roles; `same` says that their values are equal.
    pub(super) const fn may_exclude(one: i64, two: i64, same: bool) -> bool {
        match (one, two) {
            (ONLY, ONLY) => !same,
            (1, 2) | (2, 1) | (3, 4) | (4, 3) => true,
            _ => false,
        }
    }
}
