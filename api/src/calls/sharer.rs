//! Decides whose calls are counted together, where callers share the server's capacity.

use std::sync::Arc;

use http::Extensions;
use kimberly_core::access::{Caller, CallerKind};

use crate::connections::ConnectionNumber;

/// Calls that are counted together: those with the same credential, or else those over the same connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sharer {
    /// Calls with the credential of this name.
    Credential(Arc<str>),
    /// Calls without a credential, over this connection. `None` if the connection is unknown.
    Connection(Option<ConnectionNumber>),
}

impl Sharer {
    /// Returns the sharer of an authenticated request.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        match extensions.get::<Arc<Caller>>() {
            Some(caller) if caller.kind != CallerKind::Open => Self::Credential(Arc::clone(&caller.name)),
            _ => Self::Connection(extensions.get().copied()),
        }
    }
}
