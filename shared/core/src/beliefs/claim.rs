//! Claims of a record: subject, statement and kind, which decides whether two claims can exclude each other.

use std::collections::BTreeSet;

use super::value::Value;

/// The statement of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Says {
    /// The only object of a predicate, and whether that object never changes.
    Only(Value, bool),
    /// A statement holds, or does not.
    Holds(bool),
    /// Something was done; the stems of its words.
    Did(BTreeSet<String>),
    /// Something was never done; the stems of its words.
    Never(BTreeSet<String>),
    /// A statement that held does so no longer.
    Ended,
}

/// A claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// Subject and predicate: claims with different keys never exclude each other.
    pub(super) key: String,
    /// The statement.
    pub(super) says: Says,
    /// Whether it follows from what was said, or its subject may be several: "my sister".
    pub(super) guessed: bool,
}

/// Stored values of roles. After renumbering them, raise the version of the step's rules.
const ONLY: i64 = 0;
const SO: i64 = 1;
const NOT_SO: i64 = 2;
const DID: i64 = 3;
const NEVER: i64 = 4;
const ENDED: i64 = 5;

impl Says {
    /// The value stored in a row's `role`.
    pub(super) const fn role(&self) -> i64 {
        match self {
            Self::Only(..) => ONLY,
            Self::Holds(true) => SO,
            Self::Holds(false) => NOT_SO,
            Self::Did(_) => DID,
            Self::Never(_) => NEVER,
            Self::Ended => ENDED,
        }
    }

    /// Distinguishes two objects of one predicate; `None` where the key holds the whole claim or words are compared.
    pub(super) fn value(&self) -> Option<String> {
        match self {
            Self::Only(value, _) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Reports whether claims with one key may exclude each other, given their roles; `same` means equal values.
    pub(super) const fn may_exclude(one: i64, two: i64, same: bool) -> bool {
        match (one, two) {
            (ONLY, ONLY) => !same,
            (SO, NOT_SO | ENDED) | (NOT_SO | ENDED, SO) | (DID, NEVER) | (NEVER, DID) => true,
            _ => false,
        }
    }
}
