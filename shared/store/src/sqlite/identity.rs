//! Identifies a vault's file: after a purge, a new vault may take the path, which open connections do not notice.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use kimberly_core::error::Result;

use super::errors;
use crate::slots;

/// Identifies a file among all that ever had its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    /// Creation time, if the file system has it.
    born: Option<SystemTime>,
}

impl Identity {
    /// Returns the identity of the file at a path; `None` if there is none.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>> {
        match fs::metadata(path) {
            Ok(meta) => Ok(Some(Self { device: meta.dev(), inode: meta.ino(), born: meta.created().ok() })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(errors::io("looking for a vault", &error)),
        }
    }

    /// Returns a few bits that most likely differ from another file's, leaving room for a count below them.
    pub(crate) fn incarnation(&self) -> u64 {
        let born = self.born.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let born = u64::try_from(born.as_micros()).unwrap_or_default();
        slots::incarnation((self.inode ^ born).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_replaces_another_has_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        assert_eq!(Identity::at(&path).unwrap(), None);
        fs::write(&path, "one").unwrap();
        let first = Identity::at(&path).unwrap().unwrap();
        fs::write(&path, "changed").unwrap();
        assert_eq!(Identity::at(&path).unwrap(), Some(first));
        fs::write(folder.path().join("new"), "two").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        assert_ne!(Identity::at(&path).unwrap(), Some(first));
        assert_eq!(first.incarnation() & ((1 << 43) - 1), 0, "a count fits below");
    }
}
