//! Copies of rings that lie elsewhere: nobody sees them from here, so it is noted which keys were in the last one.

use std::path::{Path, PathBuf};

use super::RingPlace;
use crate::account::{read_private, replace_private};
use crate::{KeyError, KeyId};

impl RingPlace {
    /// The file of the ring, if it is one.
    pub fn file(&self) -> Option<&Path> {
        self.place().file()
    }

    /// Notes that a copy of the ring's file as it is now is kept elsewhere; returns the keys in it. Only a file is copied.
    pub fn note_copy(&self) -> Result<Vec<KeyId>, KeyError> {
        let (note, keys) = (self.note()?, self.look()?.unwrap_or_default());
        let lines: Vec<String> = keys.iter().map(ToString::to_string).collect();
        replace_private(&note, lines.join("\n").as_bytes())?;
        Ok(keys)
    }

    /// The keys in the last copy that was noted; `None` if none was, or the ring is no file.
    pub fn noted_copy(&self) -> Result<Option<Vec<KeyId>>, KeyError> {
        if self.file().is_none() {
            return Ok(None);
        }
        let Some(bytes) = read_private(&self.note()?)? else { return Ok(None) };
        Ok(Some(String::from_utf8_lossy(&bytes).lines().filter_map(KeyId::parse).collect()))
    }

    fn note(&self) -> Result<PathBuf, KeyError> {
        let file = self.file().ok_or_else(|| {
            KeyError::Refused(format!("keys.{} comes from {self}: its copies are kept where that is kept", self.ring()))
        })?;
        Ok(beside(file, "copied"))
    }
}

/// `master.key.<what>` beside `master.key`: rings whose names differ in their endings alone have files of their own.
pub(super) fn beside(file: &Path, what: &str) -> PathBuf {
    file.with_added_extension(what)
}
