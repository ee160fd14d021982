//! Files and folders: sizes, and copies that are whole or absent, on disk when they are there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use kimberly_core::error::Result;
use kimberly_crypto::folder_of;

use super::errors;
pub(crate) use crate::blocking::off_thread;

/// Waits for a lock that is held until the file is dropped. Makes the file, and the folder that it lies in.
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

/// Bytes of all files below a folder. What vanishes meanwhile counts for nothing.
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

/// Copies `from` to `to` so that `to` is whole or absent whatever happens, and on disk on return. An existing `to` is
/// kept: another process was faster. `staged` is a path in the same folder that nobody else uses.
pub(crate) fn copy_new(from: &Path, staged: &Path, to: &Path) -> io::Result<()> {
    let bytes = fs::read(from)?;
    fs::write(staged, bytes)?;
    publish_new(staged, to)
}

/// Lets a staged file appear at `to` unless there is one, as [`copy_new`] does.
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

/// Makes a folder and its parents; it and its parent are on disk on return, also where another process made them.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let above = folder_of(folder);
    sync_folder(above)?;
    sync_folder(folder_of(above))
}

/// The file that SQLite keeps beside a database under this ending.
pub(crate) fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether there is anything in the log of a database, be it only what stands behind its end.
pub(crate) fn has_log(database: &Path) -> bool {
    fs::metadata(beside(database, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Puts on disk that a log was cut: SQLite does not wait for that, and a power cut would bring back what was erased.
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
    off_thread(sync).await?.map_err(|error| errors::io("putting an emptied log on disk", &error))
}

/// Puts a folder's entries on disk.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Which logs were put on disk, and how long they were then, as no test can cut the power.
#[cfg(test)]
pub(crate) mod synced {
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;

    static SYNCED: Mutex<Vec<(PathBuf, u64)>> = Mutex::new(Vec::new());

    pub(super) fn note(log: &Path) {
        let bytes = std::fs::metadata(log).map_or(0, |log| log.len());
        SYNCED.lock().unwrap().push((log.to_owned(), bytes));
    }

    /// The lengths of the log of a database, each time that it was put on disk.
    pub(crate) fn of(database: &Path) -> Vec<u64> {
        let log = super::beside(database, "-wal");
        SYNCED.lock().unwrap().iter().filter(|(path, _)| *path == log).map(|(_, bytes)| *bytes).collect()
    }
}
