//! Failures as the domain names them.

use std::io;

use kimberly_core::error::{Error, StorageFailure};
use kimberly_crypto::KeyError;

/// A failure of the file system, with what was being done.
pub(crate) fn io(doing: &str, error: &io::Error) -> Error {
    Error::storage(StorageFailure::of_io(error), format!("{doing}: {error}"))
}

/// A failure with keys. Says nothing of what they are.
pub(crate) fn key(error: &KeyError) -> Error {
    let failure = match error {
        KeyError::Damaged { .. } | KeyError::Unopened { .. } => StorageFailure::Corrupt,
        KeyError::Refused(_) | KeyError::Off | KeyError::Primitive(_) => StorageFailure::Defect,
        _ => StorageFailure::Unavailable,
    };
    Error::storage(failure, error.to_string())
}

/// Bytes that are not those that were written.
pub(crate) fn damaged(problem: &str) -> Error {
    Error::storage(StorageFailure::Corrupt, format!("an attachment is damaged: {problem}"))
}
