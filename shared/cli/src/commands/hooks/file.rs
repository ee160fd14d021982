//! The settings file: read completely, and replaced by a rename.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use kimberly_crypto::folder_of;
use serde_json::{Map, Value};

use crate::error::{CliError, CliResult};

/// Settings and their path.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) settings: Map<String, Value>,
}

impl File {
    /// Reads the file; a missing one is empty.
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
            Ok(_) => Err(CliError::usage(format!("{} is not a JSON object; fix it first", path.display()))),
            Err(error) => Err(CliError::usage(format!("{} is not valid JSON ({error}); fix it first", path.display()))),
        }
    }

    /// Replaces the file atomically, and keeps its permissions.
    pub(super) fn write(&self, settings: &Map<String, Value>) -> CliResult {
        let text = serde_json::to_string_pretty(settings).map_err(|error| CliError::failed(error.to_string()))?;
        // Resolves links, such as into a dotfiles folder.
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
