//! Disk speed, and disk usage.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Writes that fit in a rewritten file.
const REWRITTEN: usize = 64;
/// The size of a write: a page of SQLite's WAL with its header.
const APPEND: [u8; 4_120] = [b'k'; 4_120];

/// A file with synced writes, as the reference for durable writes.
pub(crate) struct BareLog {
    file: File,
    path: PathBuf,
    rewrites: bool,
    taken: Vec<Duration>,
}

impl BareLog {
    /// A file in `folder` that grows with every write, so that the file system also syncs its size.
    pub(crate) fn growing(folder: &Path) -> io::Result<Self> {
        let path = folder.join("bare-growing.log");
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        Ok(Self { file, path, rewrites: false, taken: Vec::new() })
    }

    /// A file in `folder` that is overwritten, as SQLite overwrites the WAL after a checkpoint.
    pub(crate) fn rewritten(folder: &Path) -> io::Result<Self> {
        let path = folder.join("bare-rewritten.log");
        let mut file = File::create(&path)?;
        file.write_all(&APPEND.repeat(REWRITTEN))?;
        file.sync_all()?;
        Ok(Self { file, path, rewrites: true, taken: Vec::new() })
    }

    /// Writes and syncs, `times` times; at most [`REWRITTEN`].
    pub(crate) fn write(&mut self, times: usize) -> io::Result<()> {
        if self.rewrites {
            self.file.rewind()?;
        }
        for _ in 0..times.min(REWRITTEN) {
            let start = Instant::now();
            self.file.write_all(&APPEND)?;
            self.file.sync_data()?;
            self.taken.push(start.elapsed());
        }
        Ok(())
    }

    /// The times of all writes so far.
    pub(crate) fn taken(&self) -> &[Duration] {
        &self.taken
    }
}

impl Drop for BareLog {
    fn drop(&mut self) {
        // A leftover is harmless, since the folder is removed anyway.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Total size of all files below a folder.
pub(crate) fn bytes_below(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        sum += if about.is_dir() { bytes_below(&entry.path())? } else { about.len() };
    }
    Ok(sum)
}

/// All files called `name` below a folder.
pub(crate) fn files_named(folder: &Path, name: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files_named(&entry.path(), name)?);
        } else if entry.file_name() == name {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
