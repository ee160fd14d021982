//! What a credential may do.

use serde::{Deserialize, Serialize};

use super::{Operation, Operations, UserPatterns};
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::time::Timestamp;

/// What a credential may do, for whom, and until when. Stored as JSON; what this build does not know makes it unreadable,
/// so that a limit of a newer build is never passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// For which users.
    pub users: UserPatterns,
    /// What.
    pub operations: Operations,
}

impl Grant {
    /// Everything, for every user.
    pub fn everything() -> Self {
        Self { users: UserPatterns::all(), operations: Operations::all() }
    }

    /// Whether the operation is allowed for some user.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(operation)
    }

    /// Whether it reaches a user.
    pub fn reaches(&self, user: &UserId) -> bool {
        self.users.matches(user)
    }

    /// Whether everything that the other allows is allowed here.
    pub fn covers(&self, other: &Self) -> bool {
        self.operations.covers(other.operations) && self.users.cover(&other.users)
    }

    /// Refuses a grant of nothing; the error names a field below `field`.
    pub fn check(&self, field: &str) -> Result<()> {
        if self.operations.is_empty() {
            let all = Operation::ALL.map(|operation| operation.to_string()).join(", ");
            return Err(Error::invalid(format!("{field}.operations"), format!("is empty; allowed are {all}")));
        }
        Ok(())
    }
}

/// Whether a time has come.
pub(super) fn is_past(at: Option<Timestamp>, now: Timestamp) -> bool {
    at.is_some_and(|at| at <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(users: &[&str], operations: &[Operation]) -> Grant {
        Grant { users: UserPatterns::parse("users", users).unwrap(), operations: operations.iter().copied().collect() }
    }

    #[test]
    fn a_grant_covers_only_what_lies_within_it() {
        let maker = grant(&["a*"], &[Operation::Read, Operation::Admin]);
        assert!(maker.covers(&maker) && Grant::everything().covers(&maker));
        assert!(maker.covers(&grant(&["ada"], &[Operation::Read])));
        assert!(!maker.covers(&grant(&["bob"], &[Operation::Read])));
        assert!(!maker.covers(&grant(&["ada"], &[Operation::Read, Operation::Write])));
    }

    #[test]
    fn a_stored_grant_with_something_unknown_cannot_be_read() {
        let stored = serde_json::to_string(&grant(&["ada"], &[Operation::Read])).unwrap();
        assert_eq!(stored, r#"{"users":["ada"],"operations":["read"]}"#);
        assert_eq!(serde_json::from_str::<Grant>(&stored).unwrap(), grant(&["ada"], &[Operation::Read]));
        let newer = r#"{"users":["ada"],"operations":["read"],"tiers":["long_term"]}"#;
        assert!(serde_json::from_str::<Grant>(newer).is_err());
    }

    #[test]
    fn a_grant_of_nothing_is_refused() {
        assert!(grant(&["ada"], &[Operation::Read]).check("grant").is_ok());
        let error = grant(&["ada"], &[]).check("grant").unwrap_err().to_string();
        assert!(error.contains("grant.operations") && error.contains("meditate"), "{error}");
    }
}
