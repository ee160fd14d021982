//! The content of a backup: `manifest.json`, written last, so that a folder without one is an incomplete backup.

use std::fs;
use std::io;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::error::{CliError, CliResult};

/// The manifest's name in the backup's folder.
pub(super) const NAME: &str = "manifest.json";
/// The value of `kind`.
const KIND: &str = "kimberly backup";
/// The only version so far.
const VERSION: u32 = 1;

/// The content of a backup.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    kind: String,
    version: u32,
    /// The build that created it.
    pub(super) made_by: String,
    /// Unix seconds. The backup contains everything acknowledged before.
    pub(super) begun_at: i64,
    /// Unix seconds.
    pub(super) ended_at: i64,
    /// Whether the files are encrypted.
    pub(super) encrypted: bool,
    /// Whether the key files are stored elsewhere (`--keys`).
    pub(super) keys_apart: bool,
    /// Vaults that the backup lacks, with the reasons.
    pub(super) left_out: Vec<LeftOut>,
    /// All files.
    pub(super) files: Vec<File>,
}

/// A vault that could not be copied.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LeftOut {
    /// The vault's folder below the data folder.
    pub(super) folder: String,
    /// The reason, without a full stop.
    pub(super) why: String,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct File {
    /// Path relative to the backup's folder, separated by slashes.
    pub(super) path: String,
    /// Size in bytes.
    pub(super) bytes: u64,
    /// SHA-256 of the content, in hexadecimal.
    pub(super) sha256: String,
}

impl Manifest {
    /// An empty manifest.
    pub(super) fn new(begun_at: i64, keys_apart: bool) -> Self {
        Self {
            kind: KIND.to_owned(),
            version: VERSION,
            made_by: kimberly_runtime::VERSION.to_owned(),
            begun_at,
            ended_at: begun_at,
            encrypted: false,
            keys_apart,
            left_out: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Reads a backup's manifest; the error says precisely why a folder is not a backup.
    pub(super) fn read(backup: &Path) -> CliResult<Self> {
        let path = backup.join(NAME);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CliError::failed(format!(
                "{} is not a complete backup: it has no {NAME}, which is written last; name a folder that `kimberly \
                 backup create` completed",
                backup.display()
            )),
            _ => CliError::failed(format!("{} cannot be read: {error}", path.display())),
        })?;
        let damaged =
            |what: &str| CliError::failed(format!("{} is damaged: {what}; use another backup", path.display()));
        let found: Self = serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if found.kind != KIND {
            return Err(damaged("it does not describe a backup of Kimberly"));
        }
        if found.version != VERSION {
            return Err(CliError::failed(format!(
                "{} is of version {}, made by {}; this build reads version {VERSION}: use that of the backup",
                path.display(),
                found.version,
                found.made_by
            )));
        }
        if let Some(file) = found.files.iter().find(|file| !is_below(&file.path)) {
            return Err(damaged(&format!("it names the file {:?}, which is outside the backup", file.path)));
        }
        Ok(found)
    }

    /// The manifest as JSON.
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The files of a vault, by its folder below the data folder.
    pub(super) fn of_vault(&self, folder: &str) -> impl Iterator<Item = &File> {
        let within = format!("{folder}/");
        self.files.iter().filter(move |file| file.path.starts_with(&within))
    }
}

/// Whether a path from a manifest stays below the folder it is joined to.
pub(super) fn is_below(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_manifest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |text: &str| {
            fs::write(folder.path().join(NAME), text).unwrap();
            Manifest::read(folder.path()).unwrap_err().to_string()
        };
        assert!(Manifest::read(folder.path()).unwrap_err().to_string().contains("not a complete backup"));
        assert!(refused("{").contains("is damaged"));
        let mut manifest = Manifest::new(1, false);
        manifest.version = 2;
        assert!(refused(&manifest.to_text()).contains("version 2"));
        for path in ["../up", "/root", "", "a/../../b"] {
            let mut manifest = Manifest::new(1, false);
            manifest.files.push(File { path: path.to_owned(), bytes: 0, sha256: String::new() });
            assert!(refused(&manifest.to_text()).contains("outside the backup"), "{path}");
        }
        fs::write(folder.path().join(NAME), Manifest::new(7, true).to_text()).unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap().begun_at, 7);
    }
}
