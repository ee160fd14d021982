//! Copies of rings stored elsewhere. This host cannot see them, so a note records which keys the last copy held.

use std::path::{Path, PathBuf};

use super::RingLocation;
use crate::account::{read_private, replace_private};
use crate::{KeyError, KeyId};

impl RingLocation {
    /// The ring's file, if its source is a file.
    pub fn file(&self) -> Option<&Path> {
        self.location().file()
    }

    /// Records that a copy of the ring's file in its present state exists elsewhere; returns its keys. Only for
    /// files.
    pub fn note_copy(&self) -> Result<Vec<KeyId>, KeyError> {
        let (note, keys) = (self.note()?, self.look()?.unwrap_or_default());
        let lines: Vec<String> = keys.iter().map(ToString::to_string).collect();
        replace_private(&note, lines.join("\n").as_bytes())?;
        Ok(keys)
    }

    /// The keys in the last recorded copy; `None` if none was recorded or the ring is not a file.
    pub fn noted_copy(&self) -> Result<Option<Vec<KeyId>>, KeyError> {
        if self.file().is_none() {
            return Ok(None);
        }
        let Some(bytes) = read_private(&self.note()?)? else { return Ok(None) };
        Ok(Some(String::from_utf8_lossy(&bytes).lines().filter_map(KeyId::parse).collect()))
    }

    fn note(&self) -> Result<PathBuf, KeyError> {
        let file = self.file().ok_or_else(|| {
            KeyError::Refused(format!("keys.{} comes from {self}: copies of it belong to that source", self.ring()))
        })?;
        Ok(beside(file, "copied"))
    }
}

/// `master.key.<what>` for `master.key`: appended, so that rings that differ only in their extension do not share it.
pub(super) fn beside(file: &Path, what: &str) -> PathBuf {
    file.with_added_extension(what)
}
