//! Inspects the sources of rings without creating anything, for `kimberly doctor` and help to operators.

use std::fmt;
use std::path::Path;

use super::{KeySource, KeySources, Location};
use crate::folders::read_bounded;
use crate::hex::is_hex;
use crate::key_file::KeyFile;
use crate::{FileKeyStore, KeyError, KeyId, KeyName, KeyStore as _, RingName};

/// The source of one ring of a data folder.
#[derive(Clone, Debug)]
pub struct RingLocation(Location);

impl RingLocation {
    /// The ring.
    pub fn ring(&self) -> RingName {
        self.0.ring()
    }

    pub(super) fn location(&self) -> &Location {
        &self.0
    }

    /// Whether it is a file; other sources may be available to the service only.
    pub fn is_file(&self) -> bool {
        matches!(self.0.source(), KeySource::File(_))
    }

    /// Reads the ring and returns the ids of its keys, the current one last; `None` if its file is missing. A source
    /// that is a command is run.
    pub fn look(&self) -> Result<Option<Vec<KeyId>>, KeyError> {
        Ok(self.0.load()?.map(|ring| ring.ids().cloned().collect()))
    }
}

impl fmt::Display for RingLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl KeySources {
    /// The sources of both rings, the master ring first; `None` before the first start. Refuses a missing source or
    /// one inside the data folder, as a start does.
    pub fn rings(&self, data_dir: &Path) -> Result<Option<[RingLocation; 2]>, KeyError> {
        let Some(bytes) = read_bounded(&data_dir.join("keys/id"), 64)? else { return Ok(None) };
        let id = std::str::from_utf8(&bytes).unwrap_or_default().trim_end().to_owned();
        if !is_hex(&id, 16) {
            let file = data_dir.join("keys/id").display().to_string();
            return Err(KeyError::damaged(file, "it is not 16 hexadecimal digits"));
        }
        let locations = self.locations(&id, data_dir)?;
        Ok(Some([RingLocation(locations.master), RingLocation(locations.sensitive)]))
    }
}

/// The ring key that wrapped the keys of a data folder, according to `system.key`; `None` before the first start.
pub fn wrapping_key(data_dir: &Path, ring: RingName) -> Result<Option<KeyId>, KeyError> {
    let store = FileKeyStore::new(data_dir.join("keys"));
    let Some(bytes) = store.read(&KeyName::System)? else { return Ok(None) };
    Ok(KeyFile::parse(&KeyName::System, &bytes)?.wrapped_by(ring).cloned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::keys::tests::Folders;

    #[test]
    fn looking_makes_nothing_and_sees_what_a_start_made() {
        let folders = Folders::new();
        assert!(folders.sources().rings(&folders.data()).unwrap().is_none());
        assert_eq!(fs::read_dir(folders.data()).unwrap().count(), 0);
        folders.open().unwrap();
        let rings = folders.sources().rings(&folders.data()).unwrap().unwrap();
        for (location, ring) in rings.iter().zip([RingName::Master, RingName::Sensitive]) {
            assert!(location.ring() == ring && location.is_file());
            assert_eq!(location.to_string(), folders.ring(ring).display().to_string());
            let ids = location.look().unwrap().unwrap();
            assert_eq!(ids.last(), wrapping_key(&folders.data(), ring).unwrap().as_ref());
        }
        fs::remove_file(folders.ring(RingName::Master)).unwrap();
        assert_eq!(rings[0].look().unwrap(), None);
        fs::write(folders.data().join("keys/id"), "something else").unwrap();
        assert!(folders.sources().rings(&folders.data()).unwrap_err().to_string().contains("is damaged"));
    }
}
