//! The file of settings: read whole, written whole by a rename, with the rights that it has.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use kimberly_crypto::folder_of;
use serde_json::{Map, Value};

use crate::error::{CliError, CliResult};

/// Settings, and where they lie.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) settings: Map<String, Value>,
}

impl File {
    /// Reads it; one that is not there is empty.
    pub(super) fn read(path: PathBuf) -> CliResult<Self> {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(CliError::failed(format!("{} cannot be read: {error}", path.display()))),
        };
        if text.trim().is_empty() {
            return Ok(Self { path, settings: Map::new() });
        }
        match serde_json::from_str(&text) {
            Ok(Value::Object(settings)) => Ok(Self { path, settings }),
            Ok(_) => Err(CliError::usage(format!("{} is no JSON object; mend it first", path.display()))),
            Err(error) => {
                Err(CliError::usage(format!("{} is not readable as JSON ({error}); mend it first", path.display())))
            }
        }
    }

    /// Writes settings in their place: all of them, or nothing changes.
    pub(super) fn write(&self, settings: &Map<String, Value>) -> CliResult {
        let text = serde_json::to_string_pretty(settings).map_err(|error| CliError::failed(error.to_string()))?;
        // Through a link, such as into a folder of dotfiles.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = folder_of(&path);
        fs::create_dir_all(folder)?;
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        if let Ok(facts) = fs::metadata(&path) {
            new.as_file().set_permissions(facts.permissions())?;
        }
        writeln!(new, "{text}")?;
        new.as_file().sync_all()?;
        new.persist(&path).map_err(|error| CliError::from(error.error))?;
        Ok(())
    }
}
