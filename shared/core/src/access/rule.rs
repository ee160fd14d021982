//! What a call needs.

use super::Operation;

/// How far a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No user's data: always served, to anybody.
    Nobody,
    /// Memories of the user whom the request names.
    Rows,
    /// Everything of the user whom the request names.
    WholeUser,
    /// The whole system: takes a grant of all users.
    AllUsers,
}

/// What a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rpc, as `/package.Service/Method`.
    pub rpc: &'static str,
    /// The operation; `None` for what anybody may call.
    pub operation: Option<Operation>,
    /// How far it reaches.
    pub reach: Reach,
    /// The operation when the request names no user and is about the whole system, where that is allowed.
    pub without_user: Option<Operation>,
    /// Whether programs that act by themselves may call it, too. Not so for what only a person may decide.
    pub agents: bool,
    /// Whether a key may do it to itself, whatever it was granted.
    pub to_itself: bool,
}

impl Rule {
    /// What anybody may call.
    pub const fn for_anybody(rpc: &'static str) -> Self {
        Self { rpc, operation: None, reach: Reach::Nobody, without_user: None, agents: true, to_itself: false }
    }

    /// What takes an operation.
    pub const fn new(rpc: &'static str, operation: Operation, reach: Reach) -> Self {
        Self { operation: Some(operation), reach, ..Self::for_anybody(rpc) }
    }

    /// The same, which is about the whole system when the request names no user.
    #[must_use]
    pub const fn or_without_user(self, operation: Operation) -> Self {
        Self { without_user: Some(operation), ..self }
    }

    /// The same, which the holder of a key may do to that key, whatever it was granted.
    #[must_use]
    pub const fn or_to_itself(self) -> Self {
        Self { to_itself: true, ..self }
    }

    /// The same, which no agent may call, whatever it was granted.
    #[must_use]
    pub const fn not_by_agents(self) -> Self {
        Self { agents: false, ..self }
    }
}
