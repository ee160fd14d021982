//! The permissions that a signed token grants to its holder.

use serde::Deserialize;

use super::{Caller, CallerKind, Grant, Operations, UserPatterns, rows};
use crate::memory::Tier;
use crate::time::Timestamp;

/// Longest subject of a token, in bytes.
const MAX_SUBJECT_BYTES: usize = 128;

/// The claim `kimberly` of a token. A claim with fields that this build does not know, such as a new limit, is rejected, so
/// that no limit is ever ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct ClaimedGrant {
    grant: Grant,
    agent: bool,
}

/// The claim as written in the token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    users: UserPatterns,
    operations: Operations,
    #[serde(default, deserialize_with = "rows::list")]
    namespaces: Option<Vec<String>>,
    #[serde(default, deserialize_with = "rows::list")]
    tiers: Option<Vec<Tier>>,
    #[serde(default)]
    exclude_sensitive: bool,
    #[serde(default)]
    agent: bool,
}

impl TryFrom<Written> for ClaimedGrant {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let rows = rows::written(written.namespaces, written.tiers, written.exclude_sensitive)?;
        let grant = Grant { users: written.users, operations: written.operations, rows };
        Ok(Self { grant, agent: written.agent })
    }
}

impl Caller {
    /// Returns the holder of a token whose signature, issuer, audience and times were verified. Without the claim the
    /// holder may do nothing. `None` unless the subject is 1-128 bytes without control characters.
    pub fn of_token(subject: &str, claimed: Option<ClaimedGrant>, expires_at: Timestamp) -> Option<Self> {
        let is_name = (1..=MAX_SUBJECT_BYTES).contains(&subject.len()) && !subject.chars().any(char::is_control);
        let (grant, agent) = claimed.map_or_else(|| (Grant::nothing(), false), |claim| (claim.grant, claim.agent));
        // No stored credential has a colon in its name.
        let name = format!("jwt:{subject}").into();
        is_name.then(|| Self {
            name,
            kind: CallerKind::Token,
            agent,
            grant: grant.into(),
            expires_at: Some(expires_at),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Operation, Rows};

    fn claim(json: &str) -> Option<ClaimedGrant> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn a_claim_says_what_its_holder_may_do_and_without_it_they_may_do_nothing() {
        let read = claim(r#"{"users":["ada","shop-*"],"operations":["read"],"agent":true}"#);
        let caller = Caller::of_token("bot", read, Timestamp(9)).unwrap();
        assert_eq!((&*caller.name, caller.agent, caller.expires_at), ("jwt:bot", true, Some(Timestamp(9))));
        assert!(caller.grant.allows(Operation::Read) && !caller.grant.allows(Operation::Write));
        assert!(caller.grant.reaches(&crate::UserId::parse("shop-1").unwrap()));
        assert!(caller.grant.rows.are_all());
        let limits = r#""namespaces":["work",""],"tiers":["permanent"],"exclude_sensitive":true"#;
        let limited = claim(&format!(r#"{{"users":["*"],"operations":["read"],{limits}}}"#));
        let limited = Caller::of_token("bot", limited, Timestamp(9)).unwrap();
        let rows = Rows::parse("", &["work".to_owned(), String::new()], &[Tier::Permanent], true).unwrap();
        assert_eq!(limited.grant.rows, rows);
        let nothing = Caller::of_token("bot", None, Timestamp(9)).unwrap();
        assert!(Operation::ALL.iter().all(|operation| !nothing.grant.allows(*operation)));
    }

    #[test]
    fn claims_that_are_not_understood_in_full_are_not_read() {
        for wrong in [
            r#"{"users":["ada"]}"#,
            r#"{"operations":["read"]}"#,
            r#"{"users":[],"operations":["read"]}"#,
            r#"{"users":["a**"],"operations":["read"]}"#,
            r#"{"users":["ada"],"operations":["everything"]}"#,
            r#"{"users":["ada"],"operations":["read"],"tags":["x"]}"#,
            r#"{"users":["ada"],"operations":["read"],"tiers":["eternal"]}"#,
            r#"{"users":["ada"],"operations":["read"],"tiers":[]}"#,
            r#"{"users":["ada"],"operations":["read"],"namespaces":[]}"#,
            r#"{"users":["ada"],"operations":["read"],"namespaces":null}"#,
            r#"{"users":["ada"],"operations":["read"],"exclude_sensitive":"yes"}"#,
            r#"{"users":["ada"],"operations":["read"],"agent":"yes"}"#,
            r#""everything""#,
        ] {
            assert_eq!(claim(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn subjects_are_names() {
        for good in ["a", "https://idp.example.com/users/1", &"x".repeat(128)] {
            assert!(Caller::of_token(good, None, Timestamp(9)).is_some(), "{good}");
        }
        for wrong in ["", "a\nb", "a\u{1}b", &"x".repeat(129)] {
            assert!(Caller::of_token(wrong, None, Timestamp(9)).is_none(), "{wrong:?}");
        }
    }
}
