//! Destroys a vault's key, removes its files, and unhides its place.

use std::fs;
use std::io;
use std::path::Path;

use kimberly_core::PurgeId;
use kimberly_core::error::{Error, Result};
use kimberly_crypto::{Keys, folder_of};

use super::{HIDDEN, is_hidden_by, marker};
use crate::sqlite::{errors, files};

/// Counts files and bytes in a vault's folder, except logs, locks and the marker, which come and go.
pub(super) fn measure(folder: &Path) -> io::Result<(u64, u64)> {
    let (mut count, mut bytes) = (0, 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, meta) = (entry.file_name(), entry.metadata()?);
        let name = name.to_string_lossy();
        if meta.is_dir() {
            let (more, larger) = measure(&entry.path())?;
            count += more;
            bytes += larger;
        } else if !(name == HIDDEN || name.ends_with("-wal") || name.ends_with("-shm") || name.ends_with("lock")) {
            count += 1;
            bytes += meta.len();
        }
    }
    Ok((count, bytes))
}

/// Destroys the key first, so that files left by an interruption are unreadable.
pub(super) async fn destroy(folder: &Path, hash: &str, purge: PurgeId, keys: &Keys) -> Result<()> {
    let (folder, hash, keys) = (folder.to_owned(), hash.to_owned(), keys.clone());
    let destroy = move || {
        if !is_hidden_by(&folder, purge).map_err(|error| failed(&error))? {
            return Ok(());
        }
        if keys.are_on() {
            keys.destroy_user(&hash).map_err(|error| errors::key(&error))?;
        }
        remove(&folder).map_err(|error| failed(&error))
    };
    files::off_thread(destroy).await?
}

/// Removes everything except the marker that hides the vault.
fn remove(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == HIDDEN {
            continue;
        }
        let is_folder = entry.metadata()?.is_dir();
        let gone = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
        match gone {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    files::sync_folder(folder)
}

/// Unhides the place of a removed vault.
pub(super) async fn show(folder: &Path, purge: PurgeId) -> Result<()> {
    let folder = folder.to_owned();
    let show = move || {
        if !is_hidden_by(&folder, purge)? {
            return Ok(());
        }
        remove(&folder)?;
        fs::remove_file(marker(&folder))?;
        match fs::remove_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        files::sync_folder(folder_of(&folder))
    };
    files::off_thread(show).await?.map_err(|error| failed(&error))
}

fn failed(error: &io::Error) -> Error {
    errors::io("removing the files of a vault", error)
}
