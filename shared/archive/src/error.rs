//! What can be wrong with an archive, in words that say where.

use std::io;

use crate::{MAX_LINE_BYTES, VERSION};

/// Why an archive was not read, or not written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It begins otherwise than an archive does.
    #[error("this is no archive of Kimberly: it begins otherwise")]
    NotAnArchive,
    /// A later version of the format.
    #[error("this archive has version {found}; this kimberly reads version {VERSION}: take a newer one")]
    Newer {
        /// Its version.
        found: u64,
    },
    /// It ends before its manifest does.
    #[error("the archive ends at byte {at}, before it is whole: copy it again, or export again")]
    Cut {
        /// How many bytes there are.
        at: u64,
    },
    /// A byte has another value than the one that it must have.
    #[error("the archive is damaged at byte {at}: {what}")]
    Damaged {
        /// Where the damaged part begins.
        at: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A member that no section has.
    #[error("the archive holds {name:?} at byte {at}, which no version up to {VERSION} knows")]
    Unknown {
        /// Where it begins.
        at: u64,
        /// What it is called.
        name: String,
    },
    /// Parts are missing, came twice or were moved.
    #[error("the archive has {found} at byte {at}, where {expected} was due: parts of it are missing or were moved")]
    Order {
        /// Where it begins.
        at: u64,
        /// What is there.
        found: String,
        /// What should be.
        expected: String,
    },
    /// What the manifest says is not what came.
    #[error("the archive is not what its manifest says: {what}")]
    Manifest {
        /// What differs.
        what: String,
    },
    /// What was to be written has no place in an archive.
    #[error("{what} cannot be written into an archive")]
    Unwritable {
        /// What it is, and why.
        what: String,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ArchiveError {
    pub(crate) fn damaged(at: u64, what: impl Into<String>) -> Self {
        Self::Damaged { at, what: what.into() }
    }

    pub(crate) fn too_long(at: u64) -> Self {
        Self::damaged(at, format!("a line is longer than {MAX_LINE_BYTES} bytes"))
    }
}
