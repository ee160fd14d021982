//! Checks a data file completely with ordinary reads before it is mapped: LMDB follows page numbers and offsets
//! without bounds checks, and an invalid one crashes the process.
//!
//! Another process may commit meanwhile and reuse pages that are being read, so apparent damage is checked again
//! while commits come in.

mod content;
mod file;
mod page;
mod walk;

use std::path::Path;
use std::time::Duration;

use kimberly_core::error::Result;

pub(crate) use file::{Identity, Version};

use self::content::Content;
use self::file::DataFile;
use self::walk::Walk;
use crate::errors::{corrupt, unavailable};
use crate::layout::{DATA, LOCK};
use crate::stamp::Stamp;

/// Attempts to check a file that changes meanwhile.
const ATTEMPTS: u32 = 50;
/// Size of a lock file with [`crate::environment::MAX_READERS`] slots.
const LOCK_BYTES: u64 = 4_096;

/// Checks the index in `folder`; the error names the file and the problem.
pub(crate) fn check(folder: &Path) -> Result<Stamp> {
    check_lock(&folder.join(LOCK))?;
    let path = folder.join(DATA);
    for _ in 0..ATTEMPTS {
        let file = DataFile::open(&path)?;
        let meta = file.newest_meta();
        let checked = meta.clone().and_then(|meta| {
            let mut content = Content::default();
            Walk::new(&file, &meta).run(&mut content)?;
            content.finish()
        });
        match checked {
            Ok(stamp) => return Ok(stamp),
            Err(_) if file.newest_meta() != meta => {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(what) => return Err(corrupt(&path, what)),
        }
    }
    Err(unavailable(&path, "is written too often to be checked"))
}

/// A lock file has its full size before its index is published. If it is missing, LMDB recreates it.
fn check_lock(path: &Path) -> Result<()> {
    for _ in 0..ATTEMPTS {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(crate::errors::io("checking", path, &error)),
            Ok(meta) if meta.len() >= LOCK_BYTES => return Ok(()),
            // Another process is creating it.
            Ok(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    Err(corrupt(path, format_args!("is shorter than {LOCK_BYTES} bytes")))
}

#[cfg(test)]
mod tests;
