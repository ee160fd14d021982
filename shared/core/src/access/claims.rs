//! What a signed token says that its holder may do.

use serde::Deserialize;

use super::{Caller, CallerKind, Grant, Operations, UserPatterns};
use crate::time::Timestamp;

/// Longest name of the holder of a token, in bytes.
const MAX_SUBJECT_BYTES: usize = 128;

/// The claim `kimberly` of a token. A claim with anything that this build does not know, such as a limit of a newer one,
/// cannot be read, so that no limit is ever passed over.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedGrant {
    users: UserPatterns,
    operations: Operations,
    #[serde(default)]
    agent: bool,
}

impl Caller {
    /// The holder of a token whose signature, issuer, audience and times were found good. Without the claim he may do
    /// nothing. `None` if the subject is no name: it has 1-128 bytes without control characters.
    pub fn of_token(subject: &str, claimed: Option<ClaimedGrant>, expires_at: Timestamp) -> Option<Self> {
        let is_name = (1..=MAX_SUBJECT_BYTES).contains(&subject.len()) && !subject.chars().any(char::is_control);
        let (grant, agent) = match claimed {
            Some(claim) => (Grant { users: claim.users, operations: claim.operations }, claim.agent),
            None => (Grant { users: UserPatterns::all(), operations: Operations::default() }, false),
        };
        // No credential that Kimberly keeps has a name with a colon.
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
    use crate::access::Operation;

    fn claim(json: &str) -> Option<ClaimedGrant> {
        serde_json::from_str(json).ok()
    }

    #[test]
    fn a_claim_says_what_its_holder_may_do_and_its_absence_that_he_may_do_nothing() {
        let read = claim(r#"{"users":["ada","shop-*"],"operations":["read"],"agent":true}"#);
        let caller = Caller::of_token("bot", read, Timestamp(9)).unwrap();
        assert_eq!((&*caller.name, caller.agent, caller.expires_at), ("jwt:bot", true, Some(Timestamp(9))));
        assert!(caller.grant.allows(Operation::Read) && !caller.grant.allows(Operation::Write));
        assert!(caller.grant.reaches(&crate::UserId::parse("shop-1").unwrap()));
        let nothing = Caller::of_token("bot", None, Timestamp(9)).unwrap();
        assert!(Operation::ALL.into_iter().all(|operation| !nothing.grant.allows(operation)));
    }

    #[test]
    fn claims_that_are_not_understood_in_full_are_not_read() {
        for wrong in [
            r#"{"users":["ada"]}"#,
            r#"{"operations":["read"]}"#,
            r#"{"users":[],"operations":["read"]}"#,
            r#"{"users":["a**"],"operations":["read"]}"#,
            r#"{"users":["ada"],"operations":["everything"]}"#,
            r#"{"users":["ada"],"operations":["read"],"tiers":["permanent"]}"#,
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
