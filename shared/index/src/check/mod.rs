//! Checks a data file in full by ordinary reads, before it is mapped: LMDB follows page numbers and offsets without
//! looking whether they lead outside the file, and stops the process where they do not fit.
//!
//! Another process may commit meanwhile and reuse pages that are being read; so what looks damaged is read again for as
//! long as commits come in.

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

/// How often a file that changes while it is read is read again.
const ATTEMPTS: u32 = 50;
/// Bytes of a lock file with [`crate::environment::MAX_READERS`] slots.
const LOCK_BYTES: u64 = 4_096;

/// Checks the index in `folder`; the error says what is wrong with which file.
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

/// A lock file is made before its index is put in place, with its full size. One that is absent is made anew by LMDB.
fn check_lock(path: &Path) -> Result<()> {
    for _ in 0..ATTEMPTS {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(crate::errors::io("looking at", path, &error)),
            Ok(meta) if meta.len() >= LOCK_BYTES => return Ok(()),
            // Another process is just making it.
            Ok(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    Err(corrupt(path, format_args!("is shorter than {LOCK_BYTES} bytes")))
}

#[cfg(test)]
mod tests;
