//! Maps failures of LMDB, arroy and the file system to domain errors: what was wrong, with which file, what to do.

use std::fmt::Display;
use std::io;
use std::path::Path;

use heed::MdbError;
use kimberly_core::error::{Error, StorageFailure};
use rustix::io::Errno;

/// The remedy for all damage, since indices are derived data.
const REMEDY: &str = "remove the user's folder `vectors`, or rebuild it: kimberly rebuild --vectors";

/// A file that this build cannot have written.
pub(crate) fn corrupt(path: &Path, what: impl Display) -> Error {
    Error::storage(StorageFailure::Corrupt, format!("{}: {what}; {REMEDY}", path.display()))
}

/// A transient failure.
pub(crate) fn unavailable(path: &Path, what: impl Display) -> Error {
    Error::storage(StorageFailure::Unavailable, format!("{}: {what}", path.display()))
}

/// Whether an error reports a damaged, foreign or newer file.
pub(crate) fn is_corrupt(error: &Error) -> bool {
    matches!(error, Error::Storage { failure: StorageFailure::Corrupt, .. })
}

/// A failed file system operation.
pub(crate) fn io(doing: &str, path: &Path, error: &io::Error) -> Error {
    Error::storage(StorageFailure::of_io(error), format!("{doing} {}: {error}", path.display()))
}

/// A failure of LMDB.
pub(crate) fn lmdb(doing: &str, path: &Path, error: &heed::Error) -> Error {
    match error {
        heed::Error::Io(error) => io(doing, path, error),
        heed::Error::Mdb(
            MdbError::Corrupted
            | MdbError::PageNotFound
            | MdbError::Invalid
            | MdbError::VersionMismatch
            | MdbError::Incompatible
            | MdbError::Panic,
        )
        | heed::Error::Decoding(_) => corrupt(path, format_args!("{doing}: {error}")),
        heed::Error::Mdb(MdbError::ReadersFull | MdbError::MapFull | MdbError::MapResized)
        | heed::Error::EnvAlreadyOpened => unavailable(path, format_args!("{doing}: {error}")),
        other => Error::storage(StorageFailure::Defect, format!("{doing} {}: {other}", path.display())),
    }
}

/// A failure of arroy.
pub(crate) fn tree(doing: &str, path: &Path, error: &arroy::Error) -> Error {
    match error {
        arroy::Error::Heed(error) => lmdb(doing, path, error),
        arroy::Error::Io(error) => io(doing, path, error),
        other => corrupt(path, format_args!("{doing}: {other}")),
    }
}

/// Why a write transaction failed.
#[derive(Debug)]
pub(crate) enum WriteFailure {
    /// The mapping is full: retry with a larger one.
    MapFull,
    /// Any other error.
    Other(Error),
}

impl From<Error> for WriteFailure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// A failure of LMDB while writing.
pub(crate) fn write(path: &Path, error: &heed::Error) -> WriteFailure {
    match error {
        heed::Error::Mdb(MdbError::MapFull) => WriteFailure::MapFull,
        heed::Error::Io(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
            unavailable(path, format_args!("writing: {error}; LMDB also reports this if the disk is full")).into()
        }
        other => lmdb("writing", path, other).into(),
    }
}

/// A failure of arroy while writing.
pub(crate) fn write_trees(path: &Path, error: &arroy::Error) -> WriteFailure {
    match error {
        arroy::Error::Heed(error) => write(path, error),
        other => tree("indexing", path, other).into(),
    }
}
