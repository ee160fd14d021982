//! The credential whose rate a call counts towards.

use std::sync::Arc;

use http::Extensions;
use kimberly_core::access::Caller;

/// The credential of a call, by its permanent name. `None` if no credential was presented.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Credential(Option<Arc<str>>);

impl Credential {
    /// Returns the credential of an authenticated request.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        Self(extensions.get::<Arc<Caller>>().map(|caller| Arc::clone(&caller.name)))
    }
}
