//! Damaged vaults: told from failures that may pass, kept from use in all processes, and let back once they are whole.
//!
//! A file in the vault's folder keeps it from use, as one does while it is purged: everything that wants the vault looks for it
//! first. What lies in the folder is left as it is, so that what can be saved can be.

mod examine;
mod log;
mod lost;
mod port;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kimberly_core::damage::Damage;

use super::files;

pub(crate) use examine::is_whole;
pub(crate) use log::refuse_shortened;
pub(crate) use lost::{is_lost, refuse_lost};
pub(crate) use port::judge;

/// There while the vault is in quarantine; holds what was found.
const MARKER: &str = "quarantine";

/// What was found in the vault in this folder, if it is in quarantine.
pub(crate) fn found(folder: &Path) -> Option<Damage> {
    match fs::read_to_string(marker(folder)) {
        Ok(told) => Some(Damage::of(told.trim_end())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // It is there, whatever it says.
        Err(_) => Some(Damage::NoDatabase),
    }
}

/// Puts a vault in quarantine unless it is there; on disk on return.
fn put(folder: &Path, damage: Damage) -> io::Result<()> {
    // The folder may be what is gone.
    files::make_folder(folder)?;
    let mut file = match File::create_new(marker(folder)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error),
    };
    file.write_all(format!("{damage}\n").as_bytes())?;
    file.sync_all()?;
    files::sync_folder(folder)
}

/// Lets a vault be used again; on disk on return.
fn lift(folder: &Path) -> io::Result<()> {
    match fs::remove_file(marker(folder)) {
        Ok(()) => files::sync_folder(folder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn marker(folder: &Path) -> PathBuf {
    folder.join(MARKER)
}
