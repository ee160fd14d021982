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

/// Roles as they are stored: to renumber them, raise the version of the step's rules.
const ONLY: i64 = 0;
const SO: i64 = 1;
const NOT_SO: i64 = 2;
const DID: i64 = 3;
const NEVER: i64 = 4;

impl Says {
    /// How a row tells it.
    pub(super) const fn role(&self) -> i64 {
        match self {
            Self::Only(..) => ONLY,
            Self::Holds(true) => SO,
            Self::Holds(false) => NOT_SO,
            Self::Did(_) => DID,
            Self::Never(_) => NEVER,
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
            (SO, NOT_SO) | (NOT_SO, SO) | (DID, NEVER) | (NEVER, DID) => true,
            _ => false,
        }
    }
}
