//! A backup that was opened to restore it.

use std::path::{Path, PathBuf};

use super::files;
use super::manifest::{File, Manifest};
use super::mirror;
use crate::error::{CliError, CliResult};

/// A backup, and where its key files are.
pub(super) struct Backup {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    /// Folder of the key files, if they are stored apart from the backup.
    pub(super) keys: Option<PathBuf>,
}

impl Backup {
    pub(super) fn open(folder: PathBuf, keys: Option<PathBuf>) -> CliResult<Self> {
        let manifest = Manifest::read(&folder)?;
        match &keys {
            None if manifest.keys_apart => Err(CliError::usage(
                "the key files of this backup are stored elsewhere: name their folder with --keys, as for `backup \
                 create`",
            )),
            Some(_) if !manifest.keys_apart => Err(CliError::usage("this backup contains its key files: omit --keys")),
            Some(keys) if !keys.join("system.key").is_file() => {
                Err(CliError::failed(format!("{} holds no key files", keys.display())))
            }
            _ => Ok(Self { folder, manifest, keys }),
        }
    }

    /// Folders of vaults without a key file beside the backup. They are unreadable, since their users were purged.
    pub(super) fn without_key(&self) -> Vec<String> {
        let Some(keys) = &self.keys else { return Vec::new() };
        let folders = self.manifest.files.iter().filter_map(|file| file.path.strip_suffix("/memory.db"));
        let lost = folders.filter(|folder| mirror::key_of(folder).is_some_and(|key| !keys.join(key).exists()));
        lost.map(str::to_owned).collect()
    }

    /// Copies a file of the backup to `to`.
    pub(super) fn put(&self, file: &File, to: &Path) -> CliResult {
        files::copy_known(&self.folder.join(&file.path), to, file)
    }
}
