//! Creates, replaces and removes whole folders atomically: after a kill or power loss, the old or the new one exists.
//!
//! Names that start with a dot are leftovers if the lock is free: the slug of a model never starts with one.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use kimberly_core::error::Result;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::errors::{io, unavailable};
use crate::layout::UserFolder;

/// The lock on a user's folder of vectors, across threads and processes; released when the process ends.
#[derive(Debug)]
pub(crate) struct Held {
    folder: File,
    path: PathBuf,
}

impl Held {
    /// Waits for the lock; `None` if the user has no such folder.
    pub(crate) fn existing(user: &UserFolder) -> Result<Option<Self>> {
        let path = user.vectors();
        let Some(folder) = hold(path)? else { return Ok(None) };
        let held = Self { folder, path: path.to_owned() };
        held.remove_leftovers()?;
        Ok(Some(held))
    }

    /// Waits for the lock, and creates the folder if it is missing. Never creates the vault's folder.
    pub(crate) fn making(user: &UserFolder) -> Result<Self> {
        loop {
            match fs::create_dir(user.vectors()) {
                Ok(()) => sync(user.vault())?,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Err(unavailable(user.vault(), "there is no vault, so no vectors were written"));
                }
                Err(error) => return Err(io("creating", user.vectors(), &error)),
            }
            if let Some(held) = Self::existing(user)? {
                return Ok(held);
            }
        }
    }

    /// An empty staging folder.
    pub(crate) fn staging(&self) -> Result<PathBuf> {
        let staged = self.path.join(".staged");
        remove(&staged)?;
        fs::create_dir(&staged).map_err(|e| io("creating", &staged, &e))?;
        Ok(staged)
    }

    /// Replaces `target` with a complete folder; durable on return.
    pub(crate) fn put_in_place(&self, staged: &Path, target: &Path) -> Result<()> {
        sync(staged)?;
        let exclusive = hold(target)?;
        if exclusive.is_some() {
            renameat_with(CWD, staged, CWD, target, RenameFlags::EXCHANGE)
                .map_err(|e| io("exchanging", target, &e.into()))?;
            self.sync()?;
            remove(staged)
        } else {
            fs::rename(staged, target).map_err(|e| io("renaming", staged, &e))?;
            self.sync()
        }
    }

    /// Removes a folder; processes that have it open keep access until they close it.
    pub(crate) fn discard(&self, target: &Path) -> Result<()> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let gone = self.path.join(format!(".gone-{name}"));
        remove(&gone)?;
        let _nobody_opens = hold(target)?;
        match fs::rename(target, &gone) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            renamed => renamed.map_err(|e| io("renaming", target, &e))?,
        }
        self.sync()?;
        remove(&gone)
    }

    /// Replaces a small file atomically; durable on return.
    pub(crate) fn write_file(&self, target: &Path, text: &str) -> Result<()> {
        let staged = self.path.join(".file");
        let file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&staged);
        let written = file.and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&staged, target)
        });
        written.map_err(|e| io("writing", target, &e))?;
        self.sync()
    }

    /// The folders of indices.
    pub(crate) fn indices(&self) -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(&self.path).map_err(|e| io("listing", &self.path, &e))?;
        let folders = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        Ok(folders.filter(|path| path.is_dir() && !is_leftover(path)).collect())
    }

    fn remove_leftovers(&self) -> Result<()> {
        let entries = fs::read_dir(&self.path).map_err(|e| io("listing", &self.path, &e))?;
        entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_leftover(path))
            .try_for_each(|p| remove(&p))
    }

    fn sync(&self) -> Result<()> {
        self.folder.sync_all().map_err(|e| io("syncing", &self.path, &e))
    }
}

/// Locks a folder across threads and processes until the file is dropped; `None` if the folder is missing. The lock
/// of a user's folder permits changes to it; the lock of an index in it permits opening or replacing that index.
///
/// LMDB needs the latter for two reasons. It opens the data file and then the lock file by name: if the folder is
/// replaced in between, it writes the last commit number of the old index into the lock file of the new one. And the
/// first process creates the lock file while others wait: if it is killed, they get its lock and consider the file
/// complete. In both cases a writer would continue from a commit that is not the last one. This lock excludes both.
/// When a process dies, Linux releases this lock, which belongs to the open file, after LMDB's locks, which belong to
/// the process.
pub(crate) fn hold(folder: &Path) -> Result<Option<File>> {
    loop {
        let file = match File::open(folder) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io("opening", folder, &error)),
        };
        file.lock().map_err(|e| io("locking", folder, &e))?;
        // Replaced while we waited: the locked folder is gone.
        if same(&file, folder)? {
            return Ok(Some(file));
        }
    }
}

fn is_leftover(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn same(open: &File, path: &Path) -> Result<bool> {
    use crate::check::Identity;
    let held = Identity::of(&open.metadata().map_err(|e| io("checking", path, &e))?);
    Ok(Identity::at(path)? == Some(held))
}

fn sync(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| io("syncing", folder, &e))
}

fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(io("removing", path, &error)),
        _ => Ok(()),
    }
}
