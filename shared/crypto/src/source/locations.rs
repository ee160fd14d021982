//! Resolves the sources of both rings of a data folder, with defaults, and reads them.

use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::{Environment, KeySource, KeySources, command, file};
use crate::{KeyError, MAX_RING_BYTES, Ring, RingError, RingName};

/// The source of one ring.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    ring: RingName,
    source: KeySource,
    environment: Environment,
}

/// The sources of both rings.
#[derive(Clone, Debug)]
pub(crate) struct Locations {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) master: Location,
    pub(crate) sensitive: Location,
}

impl KeySources {
    /// Fills in defaults for the data folder with this id; refuses paths inside the data folder.
    pub(crate) fn locations(&self, data_id: &str, data_dir: &Path) -> Result<Locations, KeyError> {
        let folder = match &self.folder {
            Some(folder) => Some(self.absolute(folder)?),
            None => self.home().map(|home| home.join(".kimberly/keys").join(data_id)),
        };
        let location = |ring: RingName, source: &Option<KeySource>| {
            let source = match source {
                Some(KeySource::File(path)) => KeySource::File(self.absolute(path)?),
                Some(other) => other.clone(),
                None => {
                    let folder = folder.as_ref().ok_or_else(|| nowhere(ring))?;
                    KeySource::File(folder.join(format!("{ring}.key")))
                }
            };
            if let KeySource::File(path) = &source {
                file::refuse_inside(path, ring, data_dir)?;
            }
            Ok::<_, KeyError>(Location { ring, source, environment: self.environment.clone() })
        };
        let master = location(RingName::Master, &self.master)?;
        let sensitive = location(RingName::Sensitive, &self.sensitive)?;
        Ok(Locations { folder, master, sensitive })
    }

    /// The folder for files of the account, for the data folder with this id; refused if inside the data folder,
    /// which must exist. `None` if neither `HOME` nor `[keys] folder` is set.
    pub(crate) fn account_folder_of(&self, data_id: &str, data_dir: &Path) -> Result<Option<PathBuf>, KeyError> {
        let folder = match &self.folder {
            Some(folder) => self.absolute(folder)?,
            None if data_id.is_empty() => return Ok(None),
            None => {
                let home = self.home().ok_or_else(|| {
                    KeyError::Source(
                        "there is no folder for files of this account: HOME is not set; set it, or name a \
                                      folder in keys.folder"
                            .to_owned(),
                    )
                })?;
                home.join(".kimberly/keys").join(data_id)
            }
        };
        if data_dir.exists() {
            file::refuse_inside(&folder, RingName::Master, data_dir)?;
        }
        Ok(Some(folder))
    }

    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.environment.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
    }

    fn absolute(&self, path: &Path) -> Result<PathBuf, KeyError> {
        if let Ok(rest) = path.strip_prefix("~") {
            let home = self.home().ok_or_else(|| {
                KeyError::Source(format!("{} names the home of the account, and HOME is not set", path.display()))
            })?;
            return Ok(home.join(rest));
        }
        std::path::absolute(path).map_err(|error| KeyError::io("resolving", path, &error))
    }
}

fn nowhere(ring: RingName) -> KeyError {
    KeyError::Source(format!(
        "there is no folder for the {ring} key: HOME is not set; set it, or name a folder in keys.folder, or a source \
         in \
         keys.{ring}"
    ))
}

impl Location {
    /// The ring.
    pub(crate) fn ring(&self) -> RingName {
        self.ring
    }

    /// The source, with its path resolved.
    pub(crate) fn source(&self) -> &KeySource {
        &self.source
    }

    /// The path, if the source is a file.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.source {
            KeySource::File(path) => Some(path),
            _ => None,
        }
    }

    /// Reads the ring; `None` if its file is missing.
    pub(crate) fn load(&self) -> Result<Option<Ring>, KeyError> {
        let Some(text) = self.read()? else { return Ok(None) };
        let refused = |problem| KeyError::Ring { ring: self.ring, location: self.to_string(), problem };
        if text.len() > MAX_RING_BYTES {
            return Err(refused(RingError::TooLong));
        }
        let text = std::str::from_utf8(&text).map_err(|_| refused(RingError::NotText))?;
        Ring::parse(text).map(Some).map_err(refused)
    }

    /// Creates the ring's file if the source is one and it is missing; returns its path if it did.
    pub(crate) fn create_missing(&self, owner: &str) -> Result<Option<&Path>, KeyError> {
        match &self.source {
            KeySource::File(path) if file::read(path)?.is_none() => {
                let (_, text) = Ring::generate()?;
                file::create(path, self.ring, owner, &text)?;
                Ok(Some(path))
            }
            _ => Ok(None),
        }
    }

    fn read(&self) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
        match &self.source {
            KeySource::File(path) => file::read(path),
            KeySource::Variable(name) => self.variable(name).map(Some),
            KeySource::Credential(name) => self.credential(name).map(Some),
            KeySource::Command(program) => command::run(program, self.ring, command::LIMIT).map(Some),
        }
    }

    fn variable(&self, name: &str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        use std::os::unix::ffi::OsStringExt as _;
        let value = self.environment.get(name).ok_or_else(|| {
            KeyError::Source(format!("keys.{}: the variable {name} is not set; it must hold the ring", self.ring))
        })?;
        Ok(Zeroizing::new(value.into_vec()))
    }

    fn credential(&self, name: &str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let refused = |problem: &str| KeyError::Source(format!("keys.{}: the credential {name} {problem}", self.ring));
        let folder = self.environment.get("CREDENTIALS_DIRECTORY").map(PathBuf::from).ok_or_else(|| {
            refused("is not there, as CREDENTIALS_DIRECTORY is not set; LoadCredential= of the systemd unit passes it")
        })?;
        // The mode is not checked: systemd restricts access by other means.
        crate::folders::read_bounded(&folder.join(name), MAX_RING_BYTES)?
            .ok_or_else(|| refused("is not in CREDENTIALS_DIRECTORY; LoadCredential= of the systemd unit passes it"))
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.source {
            KeySource::File(path) => write!(f, "{}", path.display()),
            other => write!(f, "{other}"),
        }
    }
}
