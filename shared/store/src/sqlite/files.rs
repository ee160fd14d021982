//! File helpers: sizes, atomic copies and durable folders.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use kimberly_core::error::Result;
use kimberly_crypto::folder_of;

use super::errors;
pub(crate) use crate::blocking::off_thread;

/// Waits for an exclusive lock, which is held until the file is dropped. Creates the file and its folder.
pub(crate) async fn lock(path: PathBuf) -> Result<File> {
    let wait = move || {
        let folder = folder_of(&path);
        if !folder.exists() {
            make_folder(folder)?;
        }
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        Ok(file)
    };
    off_thread(wait).await?.map_err(|error: io::Error| errors::io("locking a file", &error))
}

/// Returns the bytes of all files below a folder. Files that vanish meanwhile count as 0.
pub(crate) fn bytes_below(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        match entry.metadata() {
            Ok(meta) if meta.is_dir() => sum += bytes_below(&entry.path())?,
            Ok(meta) => sum += meta.len(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
    }
    Ok(sum)
}

/// Copies `from` to `to` atomically and durably: `to` is complete or absent. If `to` exists, because another process
/// was faster, it is kept. `staged` is an unused path in the same folder.
pub(crate) fn copy_new(from: &Path, staged: &Path, to: &Path) -> io::Result<()> {
    let bytes = fs::read(from)?;
    fs::write(staged, bytes)?;
    publish_new(staged, to)
}

/// Links a staged file to `to` unless `to` exists, like [`copy_new`].
pub(crate) fn publish_new(staged: &Path, to: &Path) -> io::Result<()> {
    File::open(staged)?.sync_all()?;
    let linked = fs::hard_link(staged, to);
    fs::remove_file(staged)?;
    match linked {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        linked => linked?,
    }
    sync_folder(folder_of(to))
}

/// Reports whether a file exists. An error, such as too many open files or a disk that does not answer, is not an absence.
pub(crate) fn exists(path: &Path) -> Result<bool> {
    path.try_exists().map_err(|error| errors::io("looking for a file", &error))
}

/// Creates a folder with its parents. The folder and its parent are durable on return, even if another process created
/// them.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let above = folder_of(folder);
    sync_folder(above)?;
    sync_folder(folder_of(above))
}

/// Returns the path of a companion file of a database, such as `-wal`.
pub(crate) fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Reports whether a database's log file is not empty, even if it holds only data after its valid end, or cannot be
/// looked at.
pub(crate) fn has_log(database: &Path) -> bool {
    match fs::metadata(beside(database, "-wal")) {
        Ok(log) => log.len() > 0,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Syncs a log after it was truncated. SQLite does not, and a power failure could bring back erased data.
pub(crate) async fn sync_log(database: &Path) -> Result<()> {
    let log = beside(database, "-wal");
    let sync = move || {
        match File::open(&log) {
            Ok(file) => file.sync_all()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        sync_folder(folder_of(&log))?;
        #[cfg(test)]
        synced::note(&log);
        Ok(())
    };
    off_thread(sync).await?.map_err(|error| errors::io("syncing a truncated log", &error))
}

/// Syncs the contents of a log.
#[cfg_attr(not(test), expect(unused_variables, reason = "only tests look at which logs were synced"))]
pub(crate) fn sync_data(file: &File, log: &Path) -> io::Result<()> {
    file.sync_data()?;
    #[cfg(test)]
    synced::note(log);
    Ok(())
}

/// Syncs a folder's entries.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Records synced logs and their lengths, because a test cannot cut the power.
#[cfg(test)]
pub(crate) mod synced {
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;

    static SYNCED: Mutex<Vec<(PathBuf, u64)>> = Mutex::new(Vec::new());

    pub(super) fn note(log: &Path) {
        let bytes = std::fs::metadata(log).map_or(0, |log| log.len());
        SYNCED.lock().unwrap().push((log.to_owned(), bytes));
    }

    /// Returns the length of a database's log at each sync.
    pub(crate) fn of(database: &Path) -> Vec<u64> {
        let log = super::beside(database, "-wal");
        SYNCED.lock().unwrap().iter().filter(|(path, _)| *path == log).map(|(_, bytes)| *bytes).collect()
    }
}
