//! Failures with keys, as the domain's error.

use std::io;

use kimberly_core::error::{Error, StorageFailure};
use kimberly_crypto::KeyError;

/// A failure with keys. Says nothing of what they are.
pub(crate) fn failure(error: &KeyError) -> Error {
    let failure = match error {
        KeyError::Damaged { .. } | KeyError::Unopened { .. } => StorageFailure::Corrupt,
        KeyError::Io { kind: io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded, .. } => StorageFailure::Full,
        // Another process makes the keys of users, or a person puts a ring back.
        KeyError::NotLoaded
        | KeyError::Io { .. }
        | KeyError::Place { .. }
        | KeyError::UnknownKey { .. }
        | KeyError::RingMissing { .. }
        | KeyError::Ring { .. }
        | KeyError::Source(_) => StorageFailure::Unavailable,
        KeyError::Refused(_) | KeyError::Off | KeyError::Primitive(_) => StorageFailure::Defect,
    };
    Error::storage(failure, error.to_string())
}
