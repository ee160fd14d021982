//! Room on the disk. Of what is free a reserve is kept: while it is touched nothing is added, so that erasing, revoking and
//! reading, which take little room, go on; and so that SQLite never meets a full disk where it cannot say so.

use std::path::Path;

use kimberly_core::error::{Error, Result, StorageFailure};
use rustix::fs::{StatVfs, statvfs};

use super::options::SqliteOptions;

/// SQLite takes each page of 4 KiB of the file that processes share (`-shm`) by writing its last byte, and then writes to it in
/// memory: where a block is smaller, or written anew elsewhere (btrfs), that takes room once more, and a full disk kills the process.
const PAGE: u64 = 4_096;
/// Below so many free bytes no database is touched on such a disk.
const FLOOR: u64 = 1 << 20;

impl SqliteOptions {
    /// Refuses to add anything while less is free than the reserve.
    pub(crate) fn refuse_adding(&self) -> Result<()> {
        match statvfs(&self.data_dir).map(|found| free(&found)) {
            Ok(free) if free < self.reserve => Err(full(&self.data_dir, free, self.reserve)),
            // A disk that does not say what is free says so when it is written to.
            _ => Ok(()),
        }
    }

    /// Refuses to open or write a database while a full disk could kill the process.
    pub(crate) fn refuse_mapping(&self) -> Result<()> {
        match statvfs(&self.data_dir) {
            Ok(found) if free(&found) < FLOOR && takes_room_in_memory(&found, &self.data_dir) => {
                Err(full(&self.data_dir, free(&found), FLOOR))
            }
            _ => Ok(()),
        }
    }
}

/// Bytes that this account may still write.
fn free(found: &StatVfs) -> u64 {
    found.f_bavail.saturating_mul(found.f_frsize)
}

fn takes_room_in_memory(found: &StatVfs, folder: &Path) -> bool {
    found.f_frsize < PAGE || is_btrfs(folder)
}

#[cfg(target_os = "linux")]
fn is_btrfs(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|found| found.f_type == 0x9123_683E)
}

#[cfg(not(target_os = "linux"))]
fn is_btrfs(_: &Path) -> bool {
    false
}

fn full(folder: &Path, free: u64, least: u64) -> Error {
    let detail = format!("{} has {free} bytes free; free at least {least}, or lower vaults.reserve", folder.display());
    Error::storage(StorageFailure::Full, detail)
}
