//! Damaged vaults: distinguishes damage from temporary failures, blocks damaged vaults in all processes, and releases
//! them once they are intact again.
//!
//! Like a purge, quarantine is a marker file in the vault's folder, which every access checks first. All other files in
//! the folder stay untouched, so that data can be recovered.

mod examine;
mod log;
mod lost;
mod port;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kimberly_core::damage::Damage;
use kimberly_core::error::Result;

use super::files;

pub(crate) use examine::is_whole;
pub(crate) use log::{Evidence, refuse_shortened};
pub(crate) use lost::{is_lost, refuse_lost};
pub(crate) use port::judge;

/// The marker file of a quarantine; contains the kind of damage.
const MARKER: &str = "quarantine";

/// Returns the damage recorded for the vault in this folder, if it is in quarantine.
pub(crate) fn found(folder: &Path) -> Result<Option<Damage>> {
    match fs::read_to_string(marker(folder)) {
        Ok(told) => Ok(Some(Damage::of(told.trim_end()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // A marker that cannot be read is there; one that is not there cannot be opened, for example, with too many open
        // files, and says nothing about the vault.
        Err(_) => Ok(files::exists(&marker(folder))?.then_some(Damage::NoDatabase)),
    }
}

/// Puts a vault in quarantine unless it already is; durable on return.
fn put(folder: &Path, damage: Damage) -> io::Result<()> {
    // The folder itself may be lost.
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

/// Lifts the quarantine; durable on return.
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
