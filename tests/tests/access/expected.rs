//! The expected outcomes.

use crate::access::credentials::Kind;
use crate::access::rpcs::{Reach, Rpc};

/// The user of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whom {
    /// The user that most credentials can access.
    Own,
    /// Another existing user.
    Other,
    /// A user who does not exist, whose id starts like the own user's.
    AbsentAlike,
    /// A user who does not exist.
    Absent,
    /// The request names no user.
    Nobody,
    /// The request names no user but the key that the caller presents.
    Itself,
}

/// The memory of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// One that is visible to every credential with access to its user.
    Reached,
    /// One that is hidden from limited credentials.
    Hidden,
    /// None.
    Absent,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Executed, or refused for its content.
    Served,
    Unauthenticated,
    Denied,
    /// The memory does not exist.
    NotFound,
}

/// The expected outcome of a call, for a user with this id.
pub(crate) fn outcome(kind: &Kind, rpc: &Rpc, (whom, user): (Whom, &str), what: What) -> Outcome {
    if rpc.reach == Reach::Nobody {
        return Outcome::Served;
    }
    let Some(may) = kind.may else { return Outcome::Unauthenticated };
    let has = may.ops.contains(&rpc.takes);
    let reaches = may.users.reach(user);
    let everything = may.users == crate::access::credentials::Users::All && !may.limited;
    let only = may.users.only();
    let allowed = match rpc.reach {
        Reach::Nobody => true,
        Reach::Memory | Reach::Memories => has && reaches,
        // A key for one user means that user.
        Reach::UserOrSystem if whom == Whom::Nobody && only => has && !may.limited,
        Reach::UserOrSystem if whom == Whom::Nobody => everything && may.ops.contains(&crate::access::rpcs::Op::Admin),
        Reach::User | Reach::UserOrSystem => has && reaches && !may.limited,
        Reach::System => has && everything,
        Reach::SystemOrItself => (has && everything) || (whom == Whom::Itself && kind.is_key()),
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
