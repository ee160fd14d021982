//! The access decision: whether a caller may make a call.

use super::{Caller, CallerKind, Operation, Reach, Rule};
use crate::ids::UserId;

/// Why a call is refused. Does not reveal whether a user exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The caller is unknown.
    Unauthenticated,
    /// The caller's grant does not cover the call.
    Denied,
}

/// Decides whether a caller may make a call for the user named in the request, if any. `subject` is the id or name of
/// what else the request concerns, such as a credential.
pub fn decide(rule: &Rule, caller: Option<&Caller>, user: Option<&UserId>, subject: &str) -> Result<(), Refusal> {
    let Some(operation) = rule.operation else { return Ok(()) };
    let caller = caller.ok_or(Refusal::Unauthenticated)?;
    let grant = &caller.grant;
    let may = |operation: Operation| grant.allows(operation);
    let allowed = match (rule.reach, user) {
        (Reach::Nobody, _) => may(operation),
        (Reach::Rows, Some(user)) => may(operation) && grant.reaches(user),
        (Reach::WholeUser, Some(user)) => may(operation) && grant.reaches(user) && grant.rows.are_all(),
        (Reach::Rows | Reach::WholeUser, None) => rule.without_user.is_some_and(may) && grant.reaches_all(),
        (Reach::AllUsers, _) => may(operation) && grant.reaches_all(),
    };
    let itself = rule.to_itself && caller.is_key_named(subject);
    if (allowed || itself) && rule.takes(caller) { Ok(()) } else { Err(Refusal::Denied) }
}

impl Rule {
    /// Reports whether a caller may make any call of this rule, for any user. Used before the request has been read:
    /// whatever this refuses, [`decide`] would refuse too.
    pub fn may_pass(&self, caller: Option<&Caller>) -> Result<(), Refusal> {
        let Some(operation) = self.operation else { return Ok(()) };
        let caller = caller.ok_or(Refusal::Unauthenticated)?;
        let grant = &caller.grant;
        let whole_system = |operation: Operation| grant.allows(operation) && grant.reaches_all();
        let allowed = match self.reach {
            Reach::AllUsers => whole_system(operation),
            Reach::WholeUser if !grant.rows.are_all() => false,
            _ => grant.allows(operation) || self.without_user.is_some_and(whole_system),
        };
        let itself = self.to_itself && matches!(caller.kind, CallerKind::Key(_));
        if (allowed || itself) && self.takes(caller) { Ok(()) } else { Err(Refusal::Denied) }
    }

    /// Reports whether callers of this kind, agents or not, may make the call at all.
    fn takes(&self, caller: &Caller) -> bool {
        self.agents || !caller.agent
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::access::{CredentialId, Grant, Operations, Rows, UserPatterns};
    use crate::memory::Tier;

    fn caller(users: &[&str], operations: &[Operation]) -> Caller {
        let grant = Grant {
            users: UserPatterns::parse("users", users).unwrap(),
            operations: operations.iter().copied().collect::<Operations>(),
            rows: Rows::default(),
        };
        let id = CredentialId::parse("0123456789abcdef").unwrap();
        Caller { name: "c".into(), kind: CallerKind::Key(id), agent: false, grant: Arc::new(grant), expires_at: None }
    }

    /// Decides a call with an empty subject.
    fn decide(rule: &Rule, caller: Option<&Caller>, user: Option<&UserId>) -> Result<(), Refusal> {
        super::decide(rule, caller, user, "")
    }

    fn limited(caller: Caller) -> Caller {
        let rows = Rows::parse("grant", &[], &[Tier::LongTerm], false).unwrap();
        Caller { grant: Arc::new(Grant { rows, ..(*caller.grant).clone() }), ..caller }
    }

    fn user(id: &str) -> UserId {
        UserId::parse(id).unwrap()
    }

    const READ: Rule = Rule::new("/r", Operation::Read, Reach::Rows);
    const METRICS: Rule = Rule::new("/m", Operation::Read, Reach::WholeUser).or_without_user(Operation::Admin);
    const KEYS: Rule = Rule::new("/k", Operation::Admin, Reach::AllUsers);

    #[test]
    fn what_anybody_may_call_takes_no_credential() {
        assert_eq!(decide(&Rule::for_anybody("/s"), None, None), Ok(()));
        assert_eq!(decide(&READ, None, Some(&user("ada"))), Err(Refusal::Unauthenticated));
    }

    #[test]
    fn operation_and_user_must_both_be_granted() {
        let ada = user("ada");
        assert_eq!(decide(&READ, Some(&caller(&["a*"], &[Operation::Read])), Some(&ada)), Ok(()));
        for (users, operation) in [("a*", Operation::Write), ("bob", Operation::Read), ("b*", Operation::Read)] {
            assert_eq!(decide(&READ, Some(&caller(&[users], &[operation])), Some(&ada)), Err(Refusal::Denied));
        }
    }

    #[test]
    fn the_whole_system_takes_a_grant_of_all_users() {
        let admin = caller(&["*"], &[Operation::Admin]);
        assert_eq!(decide(&KEYS, Some(&admin), None), Ok(()));
        assert_eq!(decide(&KEYS, Some(&caller(&["a*"], &[Operation::Admin])), None), Err(Refusal::Denied));
        assert_eq!(decide(&METRICS, Some(&admin), None), Ok(()));
        assert_eq!(decide(&METRICS, Some(&admin), Some(&user("ada"))), Err(Refusal::Denied), "admin is not read");
        let reader = caller(&["*"], &[Operation::Read]);
        assert_eq!(decide(&METRICS, Some(&reader), None), Err(Refusal::Denied));
        assert_eq!(decide(&METRICS, Some(&reader), Some(&user("ada"))), Ok(()));
        assert_eq!(decide(&READ, Some(&Caller::open()), None), Err(Refusal::Denied), "the request must name a user");
    }

    #[test]
    fn a_key_may_do_to_itself_what_it_may_not_do_to_others() {
        let renew = KEYS.or_to_itself();
        let reader = limited(caller(&["ada"], &[Operation::Read]));
        assert_eq!(super::decide(&renew, Some(&reader), None, "c"), Ok(()));
        assert_eq!(renew.may_pass(Some(&reader)), Ok(()));
        for (rule, name) in [(&renew, "d"), (&renew, ""), (&KEYS, "c")] {
            assert_eq!(super::decide(rule, Some(&reader), None, name), Err(Refusal::Denied), "{rule:?} {name}");
        }
        let id = CredentialId::parse("0123456789abcdef").unwrap();
        for kind in [CallerKind::Certificate(id), CallerKind::Token, CallerKind::Open] {
            let other = Caller { kind, ..reader.clone() };
            assert_eq!(super::decide(&renew, Some(&other), None, "c"), Err(Refusal::Denied), "{kind:?}");
            assert_eq!(renew.may_pass(Some(&other)), Err(Refusal::Denied), "{kind:?}");
        }
    }

    #[test]
    fn what_a_person_decides_is_refused_to_agents_whatever_they_were_granted() {
        let person = caller(&["*"], &[Operation::Write]);
        let agent = Caller { agent: true, ..person.clone() };
        let consent = Rule::new("/c", Operation::Write, Reach::WholeUser).not_by_agents();
        let ada = user("ada");
        assert_eq!(decide(&consent, Some(&person), Some(&ada)), Ok(()));
        assert_eq!(decide(&consent, Some(&agent), Some(&ada)), Err(Refusal::Denied));
        assert_eq!(consent.may_pass(Some(&person)), Ok(()));
        assert_eq!(consent.may_pass(Some(&agent)), Err(Refusal::Denied));
        let write = Rule::new("/w", Operation::Write, Reach::WholeUser);
        assert_eq!(decide(&write, Some(&agent), Some(&ada)), Ok(()));
    }

    #[test]
    fn who_is_limited_to_some_memories_reaches_nothing_else() {
        let (ada, everything) = (user("ada"), limited(Caller::open()));
        assert_eq!(decide(&READ, Some(&everything), Some(&ada)), Ok(()));
        let goals = Rule::new("/g", Operation::Read, Reach::WholeUser);
        for (rule, user) in [(&goals, Some(&ada)), (&METRICS, Some(&ada)), (&METRICS, None), (&KEYS, None)] {
            assert_eq!(decide(rule, Some(&everything), user), Err(Refusal::Denied), "{rule:?}");
            assert_eq!(rule.may_pass(Some(&everything)), Err(Refusal::Denied), "{rule:?}");
        }
    }

    #[test]
    fn what_cannot_pass_for_any_user_is_refused_before_the_user_is_known() {
        let callers = [
            caller(&["*"], &[Operation::Admin]),
            caller(&["a*"], &[Operation::Admin]),
            caller(&["ada"], &[Operation::Read]),
            caller(&["*"], &[Operation::Write]),
            limited(caller(&["*"], &[Operation::Read, Operation::Admin])),
            Caller::open(),
        ];
        for rule in [READ, METRICS, KEYS] {
            assert_eq!(rule.may_pass(None), Err(Refusal::Unauthenticated));
            for caller in &callers {
                let passes = [None, Some(user("ada")), Some(user("bob"))]
                    .iter()
                    .any(|user| decide(&rule, Some(caller), user.as_ref()).is_ok());
                if passes {
                    assert_eq!(rule.may_pass(Some(caller)), Ok(()), "{rule:?} {caller:?}");
                }
            }
        }
        assert_eq!(READ.may_pass(Some(&callers[3])), Err(Refusal::Denied));
        assert_eq!(KEYS.may_pass(Some(&callers[1])), Err(Refusal::Denied));
        assert_eq!(METRICS.may_pass(Some(&callers[1])), Err(Refusal::Denied));
    }
}
