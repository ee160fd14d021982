//! Why a migration failed.

use kimberly_core::error::{Error, StorageFailure};

/// The cause of a failed migration.
pub(crate) enum Trouble {
    /// The plan is invalid.
    Usage(String),
    /// The migration failed.
    Failed(String),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Failed(match error {
            Error::Storage { failure: StorageFailure::Unavailable, detail } => {
                format!("{detail}; nothing is lost, run it again")
            }
            Error::Storage { detail, .. } => detail,
            other => other.to_string(),
        })
    }
}
