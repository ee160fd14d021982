//! The actors of the audit.

use std::sync::Arc;

/// The actor of an audit entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The actor set for this work (see [`act_as`](crate::ports::VaultTransaction::act_as)).
    Caller,
    /// The system itself, for work without a request, such as a scheduled meditation.
    System,
    /// A named actor: `open` for a caller without a credential, `key:NAME` or `agent:NAME` for the holder of one.
    Named(Arc<str>),
}

impl Actor {
    /// Returns the stored name. A caller without a name is the system, which alone calls without one.
    pub fn name(&self) -> &str {
        match self {
            Self::Caller | Self::System => "system",
            Self::Named(name) => name,
        }
    }
}

impl From<&str> for Actor {
    fn from(name: &str) -> Self {
        Self::Named(name.into())
    }
}
