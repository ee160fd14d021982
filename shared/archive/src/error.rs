//! Errors of archives, with their position.

use std::io;

use crate::{MAX_LINE_BYTES, VERSION};

/// Why an archive could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The input does not start like an archive.
    #[error("this is not a Kimberly archive: its first bytes differ")]
    NotAnArchive,
    /// The archive has a later version of the format.
    #[error("this archive has version {found}; this kimberly reads version {VERSION}: use a newer one")]
    Newer {
        /// The archive's version.
        found: u64,
    },
    /// The input ends before the end of the manifest.
    #[error("the archive is truncated at byte {at}: copy it again, or export again")]
    Cut {
        /// Bytes read.
        at: u64,
    },
    /// A byte differs from its only valid value.
    #[error("the archive is damaged at byte {at}: {what}; copy it again, or export again")]
    Damaged {
        /// The start of the damaged part.
        at: u64,
        /// The problem there.
        what: String,
    },
    /// The archive has a member outside the known sections.
    #[error("the archive contains {name:?} at byte {at}, which is unknown up to version {VERSION}")]
    Unknown {
        /// The start of the member.
        at: u64,
        /// The member's name.
        name: String,
    },
    /// Members are missing, duplicated or out of order.
    #[error(
        "the archive has {found} at byte {at}, where {expected} was expected: parts of it are missing or were moved"
    )]
    Order {
        /// The start of the member.
        at: u64,
        /// The member found.
        found: String,
        /// The member expected.
        expected: String,
    },
    /// The manifest does not match the content.
    #[error("the archive does not match its manifest: {what}")]
    Manifest {
        /// The difference.
        what: String,
    },
    /// The content cannot be represented in an archive.
    #[error("{what} cannot be written into an archive")]
    Unwritable {
        /// The content and the reason.
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
