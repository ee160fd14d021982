//! Access rules: what a call requires.

use super::Operation;

/// How far a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No user's data: served to all callers.
    Nobody,
    /// Memories of the user named in the request.
    Rows,
    /// Everything of the user named in the request.
    WholeUser,
    /// The whole system: requires a grant of all users.
    AllUsers,
}

/// The requirements of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rpc, as `/package.Service/Method`.
    pub rpc: &'static str,
    /// The required operation; `None` for calls open to all callers.
    pub operation: Option<Operation>,
    /// How far the call reaches.
    pub reach: Reach,
    /// The operation required when the request names no user and concerns the whole system, where that is allowed.
    pub without_user: Option<Operation>,
    /// Whether autonomous programs may call it. False for what only a person may decide.
    pub agents: bool,
    /// Whether a key may make this call about itself, whatever its grant.
    pub to_itself: bool,
    /// Whether the request must name its user, even if a user is implied. For what erases much at once.
    pub by_name: bool,
}

impl Rule {
    /// A rule for a call open to all callers.
    pub const fn for_anybody(rpc: &'static str) -> Self {
        let (operation, without_user) = (None, None);
        Self { rpc, operation, reach: Reach::Nobody, without_user, agents: true, to_itself: false, by_name: false }
    }

    /// A rule for a call that requires an operation.
    pub const fn new(rpc: &'static str, operation: Operation, reach: Reach) -> Self {
        Self { operation: Some(operation), reach, ..Self::for_anybody(rpc) }
    }

    /// Adds that the call concerns the whole system when the request names no user.
    #[must_use]
    pub const fn or_without_user(self, operation: Operation) -> Self {
        Self { without_user: Some(operation), ..self }
    }

    /// Adds that the holder of a key may make the call about that key, whatever its grant.
    #[must_use]
    pub const fn or_to_itself(self) -> Self {
        Self { to_itself: true, ..self }
    }

    /// Adds that the request must name its user.
    #[must_use]
    pub const fn by_name(self) -> Self {
        Self { by_name: true, ..self }
    }

    /// Adds that no agent may make the call, whatever its grant.
    #[must_use]
    pub const fn not_by_agents(self) -> Self {
        Self { agents: false, ..self }
    }
}
