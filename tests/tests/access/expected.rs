//! What must be answered.

use crate::access::credentials::Kind;
use crate::access::rpcs::{Reach, Rpc};

/// Whom a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whom {
    /// The user whom most credentials reach.
    Own,
    /// Another who exists.
    Other,
    /// Somebody who does not exist, whose id begins like that of the own one.
    AbsentAlike,
    /// Somebody who does not exist.
    Absent,
    /// The request names nobody.
    Nobody,
}

/// Which memory a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// One that every credential reaches that reaches its user.
    Reached,
    /// One that limited credentials do not reach.
    Hidden,
    /// None.
    Absent,
}

/// How a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// It was carried out, or refused for what it asks.
    Served,
    Unauthenticated,
    Denied,
    /// There is no such memory.
    NotFound,
}

/// How a call must end, for a user of this id.
pub(crate) fn outcome(kind: &Kind, rpc: &Rpc, (whom, user): (Whom, &str), what: What) -> Outcome {
    if rpc.reach == Reach::Nobody {
        return Outcome::Served;
    }
    let Some(may) = kind.may else { return Outcome::Unauthenticated };
    let has = may.ops.contains(&rpc.takes);
    let reaches = may.users.reach(user);
    let everything = may.users == crate::access::credentials::Users::All && !may.limited;
    let allowed = match rpc.reach {
        Reach::Nobody => true,
        Reach::Memory | Reach::Memories => has && reaches,
        Reach::UserOrSystem if whom == Whom::Nobody => everything && may.ops.contains(&crate::access::rpcs::Op::Admin),
        Reach::User | Reach::UserOrSystem => has && reaches && !may.limited,
        Reach::System => has && everything,
    };
    if !allowed || (rpc.personal && may.agent) {
        return Outcome::Denied;
    }
    let there = matches!(whom, Whom::Own | Whom::Other)
        && match what {
            What::Reached => true,
            What::Hidden => !may.limited,
            What::Absent => false,
        };
    if rpc.reach == Reach::Memory && !there { Outcome::NotFound } else { Outcome::Served }
}
