//! Free disk space, for all code that writes below a data folder.

use std::path::{Path, PathBuf};

use rustix::fs::{StatVfs, statvfs};

/// SQLite allocates each 4 KiB page of the shared-memory file (`-shm`) by writing its last byte, then writes to it
/// through the mapping. On smaller blocks or copy-on-write file systems (btrfs) that needs space again, and a full
/// disk kills the process.
const PAGE: u64 = 4_096;
/// Below this many free bytes, no database on such a disk is opened or written.
const FLOOR: u64 = 1 << 20;

/// A disk with too little free space.
#[derive(Debug, thiserror::Error)]
#[error("{} has {free} bytes free; free at least {least}{or}", folder.display())]
pub struct NoRoom {
    folder: PathBuf,
    free: u64,
    least: u64,
    or: &'static str,
}

/// Refuses to add data while less than the reserve is free.
///
/// # Errors
/// [`NoRoom`], which says how much must be free.
pub fn refuse_adding(folder: &Path, reserve: u64) -> Result<(), NoRoom> {
    match statvfs(folder).map(|found| free(&found)) {
        Ok(free) if free < reserve => {
            Err(NoRoom { folder: folder.to_owned(), free, least: reserve, or: ", or lower vaults.reserve" })
        }
        // If the free space is unknown, the write itself fails on a full disk.
        _ => Ok(()),
    }
}

/// Refuses to open or write a database if a full disk could kill the process.
///
/// # Errors
/// [`NoRoom`], which says how much must be free.
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
