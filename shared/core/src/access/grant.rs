//! The permissions of a credential.

use serde::{Deserialize, Serialize};

use super::{Operation, Operations, Rows, UserPatterns, rows};
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::Tier;
use crate::time::Timestamp;

/// The permissions of a credential: users, operations and memories. Stored as JSON; fields that this build does not
/// know make it unreadable, so that a limit of a newer build is never ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Grant {
    /// The users it reaches.
    pub users: UserPatterns,
    /// The operations it allows.
    pub operations: Operations,
    /// The memories it reaches.
    pub rows: Rows,
}

impl Grant {
    /// Returns a grant of everything, for every user.
    pub fn everything() -> Self {
        Self { users: UserPatterns::all(), operations: Operations::all(), rows: Rows::default() }
    }

    /// Returns a grant of no operation.
    pub fn nothing() -> Self {
        Self { operations: Operations::default(), ..Self::everything() }
    }

    /// Reports whether the operation is allowed for any user.
    pub fn allows(&self, operation: Operation) -> bool {
        self.operations.contains(operation)
    }

    /// Reports whether it reaches a user.
    pub fn reaches(&self, user: &UserId) -> bool {
        self.users.matches(user)
    }

    /// Reports whether it reaches everything of every user, so that data shared by all users may be shown.
    pub fn reaches_all(&self) -> bool {
        self.users.are_all() && self.rows.are_all()
    }

    /// Reports whether it allows everything that the other grant allows.
    pub fn covers(&self, other: &Self) -> bool {
        self.operations.covers(other.operations) && self.users.cover(&other.users) && self.rows.cover(&other.rows)
    }

    /// Refuses an empty grant; the error names a field below `field`.
    pub fn check(&self, field: &str) -> Result<()> {
        if self.operations.is_empty() {
            let all = Operation::ALL.iter().map(|operation| operation.name()).collect::<Vec<_>>().join(", ");
            return Err(Error::invalid(format!("{field}.operations"), format!("is empty; allowed are {all}")));
        }
        Ok(())
    }
}

/// A grant as stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    users: UserPatterns,
    operations: Operations,
    #[serde(default, deserialize_with = "rows::list", skip_serializing_if = "Option::is_none")]
    namespaces: Option<Vec<String>>,
    #[serde(default, deserialize_with = "rows::list", skip_serializing_if = "Option::is_none")]
    tiers: Option<Vec<Tier>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    exclude_sensitive: bool,
}

impl TryFrom<Written> for Grant {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let rows = rows::written(written.namespaces, written.tiers, written.exclude_sensitive)?;
        Ok(Self { users: written.users, operations: written.operations, rows })
    }
}

impl From<Grant> for Written {
    fn from(Grant { users, operations, rows }: Grant) -> Self {
        Self {
            users,
            operations,
            namespaces: Some(rows.namespaces().to_vec()).filter(|names| !names.is_empty()),
            tiers: Some(rows.tiers().to_vec()).filter(|tiers| !tiers.is_empty()),
            exclude_sensitive: rows.exclude_sensitive(),
        }
    }
}

/// Reports whether a time has been reached.
pub(super) fn is_past(at: Option<Timestamp>, now: Timestamp) -> bool {
    at.is_some_and(|at| at <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(users: &[&str], operations: &[Operation]) -> Grant {
        let users = UserPatterns::parse("users", users).unwrap();
        Grant { users, operations: operations.iter().copied().collect(), rows: Rows::default() }
    }

    fn limited(namespace: &str) -> Grant {
        let rows = Rows::parse("grant", &[namespace.to_owned()], &[Tier::LongTerm], true).unwrap();
        Grant { rows, ..grant(&["ada"], &[Operation::Read]) }
    }

    #[test]
    fn a_grant_covers_only_what_lies_within_it() {
        let maker = grant(&["a*"], &[Operation::Read, Operation::Admin]);
        assert!(maker.covers(&maker) && Grant::everything().covers(&maker));
        assert!(maker.covers(&grant(&["ada"], &[Operation::Read])) && maker.covers(&limited("work")));
        assert!(!maker.covers(&grant(&["bob"], &[Operation::Read])));
        assert!(!maker.covers(&grant(&["ada"], &[Operation::Read, Operation::Write])));
        assert!(limited("work").covers(&limited("work")) && !limited("work").covers(&limited("home")));
        assert!(!limited("work").covers(&grant(&["ada"], &[Operation::Read])));
        assert!(
            Grant::everything().reaches_all() && !Grant { rows: limited("").rows, ..Grant::everything() }.reaches_all()
        );
    }

    #[test]
    fn a_grant_reads_back_as_it_was_stored_and_none_is_read_in_part() {
        let stored = serde_json::to_string(&grant(&["ada"], &[Operation::Read])).unwrap();
        assert_eq!(stored, r#"{"users":["ada"],"operations":["read"]}"#, "without limits it says nothing of them");
        assert_eq!(serde_json::from_str::<Grant>(&stored).unwrap(), grant(&["ada"], &[Operation::Read]));
        let stored = serde_json::to_string(&limited("work")).unwrap();
        let limits = r#""namespaces":["work"],"tiers":["long_term"],"exclude_sensitive":true"#;
        assert_eq!(stored, format!(r#"{{"users":["ada"],"operations":["read"],{limits}}}"#));
        assert_eq!(serde_json::from_str::<Grant>(&stored).unwrap(), limited("work"));
        for wrong in [
            r#""tags":["x"]"#,
            r#""namespaces":[]"#,
            r#""tiers":[]"#,
            r#""namespaces":null"#,
            r#""tiers":null"#,
            r#""tiers":["for ever"]"#,
            r#""namespaces":["a\nb"]"#,
            r#""exclude_sensitive":1"#,
        ] {
            let stored = format!(r#"{{"users":["ada"],"operations":["read"],{wrong}}}"#);
            assert!(serde_json::from_str::<Grant>(&stored).is_err(), "{stored}");
        }
    }

    #[test]
    fn a_grant_of_nothing_is_refused() {
        assert!(grant(&["ada"], &[Operation::Read]).check("grant").is_ok());
        let error = grant(&["ada"], &[]).check("grant").unwrap_err().to_string();
        assert!(error.contains("grant.operations") && error.contains("meditate"), "{error}");
    }
}
