//! Durable folders and files that only this account can read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use zeroize::Zeroizing;

use crate::{KeyError, folder_of};

/// Creates a folder with mode 0700, and its parents, unless it exists.
pub(crate) fn make_private(folder: &Path) -> Result<(), KeyError> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = folder_of(folder);
    make_private(above)?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => sync(above),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(KeyError::io("creating the folder", folder, &error)),
    }
}

/// Makes entries of a folder durable.
pub(crate) fn sync(folder: &Path) -> Result<(), KeyError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| KeyError::io("syncing", folder, &error))
}

/// Holds a folder's lock, across processes and threads, until dropped.
pub(crate) struct Lock(#[expect(dead_code, reason = "held, not used: closing it lets go")] File);

impl Lock {
    /// Waits for an exclusive lock on `file`; creates the file if it is missing.
    pub(crate) fn wait(file: &Path) -> Result<Self, KeyError> {
        Self::take(file, File::lock)
    }

    /// Waits for a shared lock on `file`.
    pub(crate) fn shared(file: &Path) -> Result<Self, KeyError> {
        Self::take(file, File::lock_shared)
    }

    fn take(file: &Path, lock: fn(&File) -> io::Result<()>) -> Result<Self, KeyError> {
        let failed = |error: &io::Error| KeyError::io("locking", file, error);
        let open = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(file);
        let open = open.map_err(|error| failed(&error))?;
        loop {
            match lock(&open) {
                Ok(()) => return Ok(Self(open)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&error)),
            }
        }
    }
}

/// Writes a staging file with mode 0600 and syncs it. A leftover of a killed writer is unlinked first and never
/// written to: it may be a hard link to a file in use.
pub(crate) fn write_staged(staged: &Path, bytes: &[u8]) -> Result<(), KeyError> {
    remove(staged)?;
    let write = || {
        let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(staged)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| KeyError::io("writing", staged, &error))
}

/// Publishes a staged file at `target` unless a file exists there; returns whether it did. Durable on return.
pub(crate) fn publish_new(staged: &Path, target: &Path) -> Result<bool, KeyError> {
    let linked = match fs::hard_link(staged, target) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
        Err(error) => return Err(KeyError::io("creating", target, &error)),
    };
    remove(staged)?;
    sync(folder_of(target))?;
    Ok(linked)
}

/// Replaces `target` with a staged file. Durable on return.
pub(crate) fn publish_over(staged: &Path, target: &Path) -> Result<(), KeyError> {
    fs::rename(staged, target).map_err(|error| KeyError::io("replacing", target, &error))?;
    sync(folder_of(target))
}

/// Replaces `target` with a staged file, then overwrites the unlinked old file with zeros; a process that has it open
/// reads zeros. A kill in between leaves the old bytes on the disk without a name.
pub(crate) fn publish_over_wiping(staged: &Path, target: &Path) -> Result<(), KeyError> {
    let old = match OpenOptions::new().write(true).open(target) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(KeyError::io("opening", target, &error)),
    };
    publish_over(staged, target)?;
    old.map_or(Ok(()), |mut old| zero(&mut old))
        .map_err(|error| KeyError::io("overwriting the one before at", target, &error))
}

/// Overwrites a file with zeros and removes it; returns whether it existed.
pub(crate) fn wipe(file: &Path) -> Result<bool, KeyError> {
    match OpenOptions::new().write(true).open(file).and_then(|mut open| zero(&mut open)) {
        Ok(()) => remove(file).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(KeyError::io("overwriting", file, &error)),
    }
}

fn zero(open: &mut File) -> io::Result<()> {
    let length = open.metadata()?.len();
    open.seek(SeekFrom::Start(0))?;
    io::copy(&mut io::repeat(0).take(length), open)?;
    open.sync_all()
}

/// Reads at most `bound + 1` bytes of a file, so that the caller can detect excess; `None` if the file is missing.
pub(crate) fn read_bounded(file: &Path, bound: usize) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    match File::open(file) {
        Ok(open) => read_open(open, bound).map(Some).map_err(|error| KeyError::io("reading", file, &error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(KeyError::io("reading", file, &error)),
    }
}

/// Reads at most `bound + 1` bytes into one allocation, so that growing leaves no copy of secrets behind.
pub(crate) fn read_open(open: impl io::Read, bound: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(bound + 64));
    open.take(bound as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Removes a file if it exists.
pub(crate) fn remove(file: &Path) -> Result<(), KeyError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(KeyError::io("removing", file, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn folders_are_made_private_with_their_parents_and_files_too() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        make_private(&folder).unwrap();
        make_private(&folder).unwrap();
        write_staged(&folder.join("staged"), b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&root.path().join("a")), mode(&folder)), (0o700, 0o700));
        assert_eq!(mode(&folder.join("staged")), 0o600);
    }

    #[test]
    fn the_first_to_publish_wins() {
        let root = tempfile::tempdir().unwrap();
        let (staged, target) = (root.path().join("staged"), root.path().join("place"));
        for (text, wins) in [("first", true), ("second", false)] {
            write_staged(&staged, text.as_bytes()).unwrap();
            assert_eq!(publish_new(&staged, &target).unwrap(), wins);
            assert!(!staged.exists());
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "first");
    }

    #[test]
    fn a_leftover_that_is_another_name_of_a_file_in_use_does_not_harm_it() {
        let root = tempfile::tempdir().unwrap();
        let (staged, target) = (root.path().join("staged"), root.path().join("place"));
        write_staged(&staged, b"in use").unwrap();
        fs::hard_link(&staged, &target).unwrap();
        write_staged(&staged, b"another").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "in use");
    }

    #[test]
    fn wiping_overwrites_the_bytes_before_it_removes_the_name() {
        let root = tempfile::tempdir().unwrap();
        let (file, other) = (root.path().join("file"), root.path().join("other"));
        fs::write(&file, vec![7; 10_000]).unwrap();
        fs::hard_link(&file, &other).unwrap();
        assert!(wipe(&file).unwrap());
        assert!(!file.exists());
        assert_eq!(fs::read(&other).unwrap(), vec![0; 10_000]);
        assert!(!wipe(&file).unwrap());
    }

    #[test]
    fn what_is_replaced_is_overwritten_wherever_else_it_shows() {
        let root = tempfile::tempdir().unwrap();
        let (staged, target, other) =
            (root.path().join("staged"), root.path().join("place"), root.path().join("other"));
        for (text, before) in [("first", None), ("second", Some(vec![0; 5])), ("third", Some(vec![0; 6]))] {
            if before.is_some() {
                fs::hard_link(&target, &other).unwrap();
            }
            write_staged(&staged, text.as_bytes()).unwrap();
            publish_over_wiping(&staged, &target).unwrap();
            assert_eq!((fs::read(&target).unwrap(), fs::read(&other).ok()), (text.as_bytes().to_vec(), before));
            remove(&other).unwrap();
        }
    }

    #[test]
    fn reading_stops_one_byte_past_the_bound() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        assert!(read_bounded(&file, 8).unwrap().is_none());
        for (length, read) in [(8, 8), (9, 9), (1000, 9)] {
            fs::write(&file, vec![1; length]).unwrap();
            assert_eq!(read_bounded(&file, 8).unwrap().unwrap().len(), read);
        }
    }
}
