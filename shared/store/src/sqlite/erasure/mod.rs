//! Erases a whole vault: hides it, empties it, removes its key and its files, and finally unhides its place.
//!
//! A marker file in the vault's folder hides it; every access checks for that file first. The marker stays, alone in
//! the folder, until the user is named nowhere any more, so that the vault is not created again meanwhile. Creating,
//! hiding, removing and unhiding hold the lock in the parent folder.

mod empty;
mod port;
mod remove;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kimberly_core::PurgeId;
use kimberly_core::error::Result;

use super::files;

/// The marker file of a purge; contains the purge's id.
const HIDDEN: &str = "purging";

/// Reports whether the vault in this folder is being purged.
pub(crate) fn is_hidden(folder: &Path) -> Result<bool> {
    files::exists(&marker(folder))
}

fn marker(folder: &Path) -> PathBuf {
    folder.join(HIDDEN)
}

/// Hides a vault, creating its folder if necessary; durable on return.
fn hide(folder: &Path, purge: PurgeId) -> io::Result<()> {
    files::make_folder(folder)?;
    let mut file = File::create(marker(folder))?;
    file.write_all(purge.to_string().as_bytes())?;
    file.sync_all()?;
    files::sync_folder(folder)
}

/// Reports whether this purge hides the vault.
fn is_hidden_by(folder: &Path, purge: PurgeId) -> io::Result<bool> {
    match fs::read(marker(folder)) {
        Ok(found) => Ok(found == purge.to_string().as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
