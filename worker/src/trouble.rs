//! Why a program that the command line started failed.

use kimberly_core::error::{Error, StorageFailure};

/// The cause of the failure.
pub(crate) enum Trouble {
    /// The plan is invalid.
    Usage(String),
    /// The work failed.
    Failed(String),
}

impl Trouble {
    /// Returns the message, and the exit code of the command line.
    pub(crate) fn told(self) -> (String, u8) {
        match self {
            Self::Usage(message) => (message, 2),
            Self::Failed(message) => (message, 1),
        }
    }
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
