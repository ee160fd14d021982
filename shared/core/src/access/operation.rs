//! Operations and sets of them.

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Reading memories, goals, settings and statistics.
    Read,
    /// Storing and changing data.
    Write,
    /// Deleting data.
    Delete,
    /// Exporting all data at once.
    Export,
    /// Planning and starting meditations.
    Meditate,
    /// The operator's tasks: settings, maintenance, keys.
    Admin,
}

names!(Operation {
    Read => "read",
    Write => "write",
    Delete => "delete",
    Export => "export",
    Meditate => "meditate",
    Admin => "admin",
});

impl Operation {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of operations. No operation implies another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Operation>", into = "Vec<Operation>")]
pub struct Operations(u8);

impl Operations {
    /// Returns the set of all operations.
    pub fn all() -> Self {
        Operation::ALL.iter().copied().collect()
    }

    /// Reports whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Reports whether the set contains the operation.
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & operation.bit() != 0
    }

    /// Reports whether the set contains all the others.
    pub const fn covers(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }

    /// Iterates over the operations in the order of the API.
    pub fn iter(self) -> impl Iterator<Item = Operation> {
        Operation::ALL.iter().copied().filter(move |operation| self.contains(*operation))
    }
}

impl FromIterator<Operation> for Operations {
    fn from_iter<I: IntoIterator<Item = Operation>>(operations: I) -> Self {
        Self(operations.into_iter().fold(0, |set, operation| set | operation.bit()))
    }
}

impl From<Vec<Operation>> for Operations {
    fn from(operations: Vec<Operation>) -> Self {
        operations.into_iter().collect()
    }
}

impl From<Operations> for Vec<Operation> {
    fn from(operations: Operations) -> Self {
        operations.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_operation_implies_another() {
        for &one in Operation::ALL {
            let set: Operations = [one].into_iter().collect();
            for &other in Operation::ALL {
                assert_eq!(set.contains(other), one == other, "{one} and {other}");
            }
            assert!(Operations::all().covers(set) && !set.covers(Operations::all()));
            assert!(!Operations::default().contains(one) && set.covers(Operations::default()));
        }
    }

    #[test]
    fn sets_are_stored_by_name_and_unknown_names_are_refused() {
        let set: Operations = [Operation::Admin, Operation::Read].into_iter().collect();
        assert_eq!(serde_json::to_string(&set).unwrap(), r#"["read","admin"]"#);
        assert_eq!(serde_json::from_str::<Operations>(r#"["admin","read","read"]"#).unwrap(), set);
        assert!(serde_json::from_str::<Operations>(r#"["everything"]"#).is_err());
    }
}
