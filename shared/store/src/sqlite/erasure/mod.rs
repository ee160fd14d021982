//! Erasing a whole vault: hidden first, then emptied, then its key and its files removed, and in the end shown again.
//!
//! A file in the vault's folder hides it: everything that wants the vault looks for that file first. It stays, alone in its folder,
//! until nothing anywhere names the user any more, so that nobody makes the vault again meanwhile. Making, hiding, removing
//! and showing hold the lock of the folder beside.

mod empty;
mod port;
mod remove;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kimberly_core::PurgeId;

use super::files;

/// There while the vault is being purged; holds the id of the purge.
const HIDDEN: &str = "purging";

/// Whether the vault in this folder is being purged.
pub(crate) fn is_hidden(folder: &Path) -> bool {
    marker(folder).exists()
}

fn marker(folder: &Path) -> PathBuf {
    folder.join(HIDDEN)
}

/// Hides a vault, and makes its folder if there is none; on disk on return.
fn hide(folder: &Path, purge: PurgeId) -> io::Result<()> {
    files::make_folder(folder)?;
    let mut file = File::create(marker(folder))?;
    file.write_all(purge.to_string().as_bytes())?;
    file.sync_all()?;
    files::sync_folder(folder)
}

/// Whether the vault is hidden by this purge.
fn is_hidden_by(folder: &Path, purge: PurgeId) -> io::Result<bool> {
    match fs::read(marker(folder)) {
        Ok(found) => Ok(found == purge.to_string().as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
