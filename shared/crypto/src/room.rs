//! Free disk space, for all code that writes below a data folder.

use std::path::{Path, PathBuf};

use rustix::fs::{StatVfs, statvfs};

/// SQLite allocates each 4 KiB page of the shared-memory file (`-shm`) by writing its last byte, then writes to it
/// through the mapping. On smaller blocks or copy-on-write file systems (btrfs) that needs space again, and a full
/// disk kills the process.
const PAGE: u64 = 4_096;
/// Below this many free bytes, no database on such a disk is opened or written.
const FLOOR: u64 = 1 << 20;
/// Below this many free bytes, such a disk must show that it really allocates [`FLOOR`]: btrfs reports megabytes as free
/// while it allocates nothing.
const DOUBTFUL: u64 = 256 << 20;

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
    let Ok(found) = statvfs(folder) else { return Ok(()) };
    if free(&found) >= DOUBTFUL || !takes_room_in_memory(&found, folder) {
        return Ok(());
    }
    match real_room(free(&found), || allocates(folder)) {
        FLOOR.. => Ok(()),
        free => Err(NoRoom { folder: folder.to_owned(), free, least: FLOOR, or: "" }),
    }
}

/// The bytes that may be written if this many are said to be free.
fn real_room(free: u64, allocates: impl FnOnce() -> bool) -> u64 {
    if free >= FLOOR && !allocates() { 0 } else { free }
}

/// Reports whether the disk allocates [`FLOOR`] bytes now: writing reserves them, as writing through a mapping does. They
/// never reach the disk, because the file has no name and is closed at once.
#[cfg(target_os = "linux")]
fn allocates(folder: &Path) -> bool {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::io::{Errno, write};

    static PIECE: [u8; 1 << 16] = [0; 1 << 16];
    let is_full = |error: Errno| matches!(error, Errno::NOSPC | Errno::DQUOT);
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = match open(folder, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => file,
        // Not every file system has such files; too many open files say nothing about the disk.
        Err(error) => return !is_full(error),
    };
    let mut left = FLOOR;
    while left > 0 {
        match write(&file, &PIECE) {
            Ok(0) => return false,
            Ok(written) => left = left.saturating_sub(written as u64),
            Err(Errno::INTR) => {}
            Err(error) => return !is_full(error),
        }
    }
    true
}

#[cfg(not(target_os = "linux"))]
fn allocates(_: &Path) -> bool {
    true
}

/// Creates the shared-memory file (`-shm`) of a database on btrfs, unless it exists, so that its blocks are overwritten in
/// place: since Linux 6.16, writing to them through the mapping then needs no space. Without effect if anything fails.
pub fn overwrite_index_in_place(database: &Path) {
    if is_btrfs(crate::folder_of(database)) && database.exists() {
        create_in_place(database);
    }
}

#[cfg(target_os = "linux")]
fn create_in_place(database: &Path) {
    use std::os::unix::fs::OpenOptionsExt as _;

    let mut index = database.as_os_str().to_owned();
    index.push("-shm");
    if let Ok(file) = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(index) {
        // Possible only while the file is empty.
        let _ = rustix::fs::ioctl_setflags(&file, rustix::fs::IFlags::NOCOW);
    }
}

#[cfg(not(target_os = "linux"))]
fn create_in_place(_: &Path) {}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_said_to_be_free_but_are_not_given_do_not_count() {
        assert_eq!(real_room(2 << 20, || false), 0, "btrfs says so when it is full");
        assert_eq!(real_room(2 << 20, || true), 2 << 20);
        assert_eq!(real_room(FLOOR - 1, || true), FLOOR - 1);
    }

    #[test]
    fn asking_a_disk_for_room_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        assert!(allocates(folder.path()));
        assert!(refuse_mapping(folder.path()).is_ok());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let database = folder.path().join("some.db");
        std::fs::write(&database, "a database").unwrap();
        create_in_place(&database);
        assert_eq!(std::fs::metadata(folder.path().join("some.db-shm")).unwrap().len(), 0);
    }
}
