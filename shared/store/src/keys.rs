//! Converts key errors to the domain's error.

use std::io;

use kimberly_core::error::{Error, StorageFailure};
use kimberly_crypto::KeyError;

/// Converts a key error; the message contains no key material.
pub(crate) fn failure(error: &KeyError) -> Error {
    let failure = match error {
        KeyError::Damaged { .. } | KeyError::Unopened { .. } => StorageFailure::Corrupt,
        KeyError::Io { kind: io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded, .. } => StorageFailure::Full,
        // Temporary: another process may create the user's keys, or an operator may restore a ring.
        KeyError::NotLoaded
        | KeyError::Io { .. }
        | KeyError::Store { .. }
        | KeyError::UnknownKey { .. }
        | KeyError::RingMissing { .. }
        | KeyError::Ring { .. }
        | KeyError::Source(_) => StorageFailure::Unavailable,
        KeyError::Refused(_) | KeyError::Off | KeyError::Primitive(_) => StorageFailure::Defect,
    };
    Error::storage(failure, error.to_string())
}
