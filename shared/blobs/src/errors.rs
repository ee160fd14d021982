//! Maps failures to domain errors.

use std::io;

use kimberly_core::error::{Error, StorageFailure};
use kimberly_crypto::KeyError;

/// Returns the error for a failed file system operation.
pub(crate) fn io(doing: &str, error: &io::Error) -> Error {
    Error::storage(StorageFailure::of_io(error), format!("{doing}: {error}"))
}

/// Returns the error for a failure of keys. Contains no key material.
pub(crate) fn key(error: &KeyError) -> Error {
    let failure = match error {
        KeyError::Damaged { .. } | KeyError::Unopened { .. } => StorageFailure::Corrupt,
        KeyError::Refused(_) | KeyError::Off | KeyError::Primitive(_) => StorageFailure::Defect,
        _ => StorageFailure::Unavailable,
    };
    Error::storage(failure, error.to_string())
}

/// Returns the error for stored bytes that differ from those written.
pub(crate) fn damaged(problem: &str) -> Error {
    Error::storage(StorageFailure::Corrupt, format!("an attachment is damaged: {problem}"))
}
