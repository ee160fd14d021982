//! Kinds of storage failures.

use std::io;

/// The kind of a storage failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFailure {
    /// Storage is busy, timed out or shutting down; a retry may help.
    Unavailable,
    /// The disk is full; nothing was written.
    Full,
    /// The disk failed to read or write (an I/O error); nothing was changed. This is not damage: a later read may succeed.
    Disk,
    /// The disk failed during a commit and again during the rollback: the change may or may not be stored.
    InDoubt,
    /// A file is damaged, or was written by a newer version.
    Corrupt,
    /// Any other failure: a defect of Kimberly.
    Defect,
}

impl StorageFailure {
    /// The error number of an I/O error, the same on every Unix.
    const EIO: i32 = 5;

    /// Classifies a failure of the file system.
    pub fn of_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ if error.raw_os_error() == Some(Self::EIO) => Self::Disk,
            _ => Self::Unavailable,
        }
    }

    /// Reports whether a retry may succeed later without a repair here.
    pub const fn may_pass(self) -> bool {
        matches!(self, Self::Unavailable | Self::Full | Self::Disk | Self::InDoubt)
    }
}
