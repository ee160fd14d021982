//! Whose calls count together where callers share what there is.

use std::sync::Arc;

use http::Extensions;
use kimberly_core::access::{Caller, CallerKind};

use crate::connections::ConnectionNumber;

/// Whose calls count together: those made with one credential, or else over one connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sharer {
    /// Of this name.
    Credential(Arc<str>),
    /// Over which nothing was shown; none where that is unknown.
    Connection(Option<ConnectionNumber>),
}

impl Sharer {
    /// Of a request whose caller is known.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        match extensions.get::<Arc<Caller>>() {
            Some(caller) if caller.kind != CallerKind::Open => Self::Credential(Arc::clone(&caller.name)),
            _ => Self::Connection(extensions.get().copied()),
        }
    }
}
