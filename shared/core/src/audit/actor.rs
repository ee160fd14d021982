//! Who does something.

use std::sync::Arc;

/// Who does something, as the audit names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The actor that the work acts as (see [`act_as`](crate::ports::VaultTransaction::act_as)).
    Caller,
    /// The system itself: what was not asked for by anybody, such as a scheduled meditation.
    System,
    /// One with a name: `open` for a caller without credential, `key:NAME` or `agent:NAME` for the holder of one.
    Named(Arc<str>),
}

impl Actor {
    /// What the audit keeps. A caller whom nobody named is the system: it alone calls without a name.
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
