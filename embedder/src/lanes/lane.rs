//! The priority of texts.

use crate::model::Purpose;

/// The priority and purpose of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A caller waits for the result: runs before all bulk work.
    Query,
    /// Documents, in the background.
    Bulk,
}

impl Lane {
    pub(super) const fn purpose(self) -> Purpose {
        match self {
            Self::Query => Purpose::Query,
            Self::Bulk => Purpose::Document,
        }
    }
}
