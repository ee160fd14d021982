//! Whose rate a call counts for.

use std::sync::Arc;

use http::Extensions;
use kimberly_core::access::Caller;

/// The credential of a call, by the name that it was given once and for all; none where none was shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Credential(Option<Arc<str>>);

impl Credential {
    /// The credential of a request whose caller is known.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        Self(extensions.get::<Arc<Caller>>().map(|caller| Arc::clone(&caller.name)))
    }
}
