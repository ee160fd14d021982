//! Room on the disk, for everything that writes below a data folder.

use std::path::{Path, PathBuf};

use rustix::fs::{StatVfs, statvfs};

/// SQLite takes each page of 4 KiB of the file that processes share (`-shm`) by writing its last byte, and then writes to it in
/// memory: where a block is smaller, or copied on write (btrfs), that takes room once more, and a full disk kills the process.
const PAGE: u64 = 4_096;
/// Below so many free bytes no database is touched on such a disk.
const FLOOR: u64 = 1 << 20;

/// A disk with less room than there must be.
#[derive(Debug, thiserror::Error)]
#[error("{} has {free} bytes free; free at least {least}{or}", folder.display())]
pub struct NoRoom {
    folder: PathBuf,
    free: u64,
    least: u64,
    or: &'static str,
}

/// Refuses to add anything while less is free than the reserve.
///
/// # Errors
/// [`NoRoom`], which says how much there must be.
pub fn refuse_adding(folder: &Path, reserve: u64) -> Result<(), NoRoom> {
    match statvfs(folder).map(|found| free(&found)) {
        Ok(free) if free < reserve => {
            Err(NoRoom { folder: folder.to_owned(), free, least: reserve, or: ", or lower vaults.reserve" })
        }
        // A disk that does not say what is free says so when it is written to.
        _ => Ok(()),
    }
}

/// Refuses to open or write a database while a full disk could kill the process.
///
/// # Errors
/// [`NoRoom`], which says how much there must be.
pub fn refuse_mapping(folder: &Path) -> Result<(), NoRoom> {
    match statvfs(folder) {
        Ok(found) if free(&found) < FLOOR && takes_room_in_memory(&found, folder) => {
            Err(NoRoom { folder: folder.to_owned(), free: free(&found), least: FLOOR, or: "" })
        }
        _ => Ok(()),
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
