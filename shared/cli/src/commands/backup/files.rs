//! Copies files so that each is private, complete and synced, and hashes what was copied.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use kimberly_crypto::folder_of;
use sha2::{Digest as _, Sha256};

use super::manifest::File;
use crate::error::{CliError, CliResult};

/// Bytes copied at a time.
const PIECE: usize = 1 << 20;
/// Suffix of the folder while it is being created.
const MARKER: &str = ".unfinished";

/// A folder that gets its name only when it is complete.
pub(super) struct Unfinished {
    /// The folder's temporary path.
    pub(super) staged: PathBuf,
    to: PathBuf,
    done: bool,
}

impl Unfinished {
    /// Starts a folder; removes what a killed run left.
    pub(super) fn begin(to: &Path) -> CliResult<Self> {
        refuse_full(to)?;
        let mut name = to.as_os_str().to_owned();
        name.push(".unfinished");
        let staged = PathBuf::from(name);
        if staged.exists() {
            if !staged.join(MARKER).exists() && !is_empty(&staged) {
                return Err(CliError::failed(format!(
                    "{} exists and was not created by this command; move it elsewhere",
                    staged.display()
                )));
            }
            fs::remove_dir_all(&staged).map_err(|error| failed("removing", &staged, &error))?;
        }
        make_folder(&staged)?;
        let this = Self { staged, to: to.to_owned(), done: false };
        write(&this.staged.join(MARKER), b"")?;
        Ok(this)
    }

    /// Renames the complete folder to its final name; synced on return.
    pub(super) fn finish(mut self) -> CliResult {
        sync_below(&self.staged)?;
        fs::rename(&self.staged, &self.to).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices => CliError::failed(format!(
                "{} is a mount point, which cannot be replaced atomically: name a folder in it",
                self.to.display()
            )),
            _ => failed("finishing", &self.to, &error),
        })?;
        self.done = true;
        sync(folder_of(&self.to))?;
        fs::remove_file(self.to.join(MARKER)).map_err(|error| failed("finishing", &self.to, &error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.done {
            // A leftover can be recognized by its name.
            let _ = fs::remove_dir_all(&self.staged);
        }
    }
}

/// Refuses a folder that is not empty.
fn refuse_full(folder: &Path) -> CliResult {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed("checking", folder, &error)),
        Ok(found) if found.is_dir() && is_empty(folder) => Ok(()),
        Ok(_) => Err(CliError::failed(format!(
            "{} exists and is not empty; nothing is overwritten: name another folder",
            folder.display()
        ))),
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Copies a file to a new path and creates its folder; `None` if the source is gone.
pub(super) fn copy(from: &Path, to: &Path, path: String) -> CliResult<Option<File>> {
    let mut source = match fs::File::open(from) {
        Ok(source) => source,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("reading", from, &error)),
    };
    make_folder(folder_of(to))?;
    let mut target = private(to).map_err(|error| failed("writing", to, &error))?;
    let write = |piece: &[u8]| target.write_all(piece).map_err(|error| failed("writing", to, &error));
    let (bytes, sha256) = read(&mut source, from, write)?;
    target.sync_all().map_err(|error| failed("writing", to, &error))?;
    Ok(Some(File { path, bytes, sha256 }))
}

/// Copies a file of a backup; refuses one that differs from its manifest.
pub(super) fn copy_known(from: &Path, to: &Path, known: &File) -> CliResult {
    match copy(from, to, known.path.clone())? {
        Some(found) if found == *known => Ok(()),
        Some(_) => Err(differs(from)),
        None => Err(missing(from)),
    }
}

/// Fails if a file of a backup differs from its manifest.
pub(super) fn verify(from: &Path, known: &File) -> CliResult {
    let mut source = fs::File::open(from).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing(from),
        _ => failed("reading", from, &error),
    })?;
    let (bytes, sha256) = read(&mut source, from, |_| Ok(()))?;
    if bytes == known.bytes && sha256 == known.sha256 { Ok(()) } else { Err(differs(from)) }
}

/// Passes a file to `take` in pieces; returns its size and digest.
fn read(source: &mut fs::File, from: &Path, mut take: impl FnMut(&[u8]) -> CliResult) -> CliResult<(u64, String)> {
    let (mut hasher, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let read = source.read(&mut piece).map_err(|error| failed("reading", from, &error))?;
        let Some(read) = piece.get(..read).filter(|read| !read.is_empty()) else { break };
        hasher.update(read);
        bytes += read.len() as u64;
        take(read)?;
    }
    Ok((bytes, hexadecimal(&hasher.finalize())))
}

fn differs(path: &Path) -> CliError {
    CliError::failed(format!("{} is not as it was backed up: the backup is damaged, use another", path.display()))
}

fn missing(path: &Path) -> CliError {
    CliError::failed(format!("{} is missing: the backup is damaged, use another", path.display()))
}

/// Writes a small file; synced on return.
pub(super) fn write(path: &Path, bytes: &[u8]) -> CliResult {
    let write = private(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    write.map_err(|error| failed("writing", path, &error))
}

fn private(path: &Path) -> io::Result<fs::File> {
    fs::File::options().write(true).create_new(true).mode(0o600).open(path)
}

/// Creates a private folder and its parents.
pub(super) fn make_folder(folder: &Path) -> CliResult {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| failed("creating", folder, &error))
}

/// All files below a folder, with paths relative to it; empty if the folder is missing.
pub(super) fn below(folder: &Path) -> CliResult<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        let entries = match fs::read_dir(folder.join(&within)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("reading", &folder.join(&within), &error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| failed("reading", folder, &error))?;
            let path = within.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Syncs the entries of a folder and of its subfolders.
fn sync_below(folder: &Path) -> CliResult {
    for entry in fs::read_dir(folder).map_err(|error| failed("reading", folder, &error))? {
        let entry = entry.map_err(|error| failed("reading", folder, &error))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sync_below(&entry.path())?;
        }
    }
    sync(folder)
}

/// Syncs the entries of a folder.
pub(super) fn sync(folder: &Path) -> CliResult {
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed("writing", folder, &error))
}

/// An error with the operation and its path; for a full disk it adds that partial files were removed.
pub(super) fn failed(doing: &str, path: &Path, error: &io::Error) -> CliError {
    let full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    let more =
        if full { "; free some space, or name a folder on another disk; partial files were removed" } else { "" };
    CliError::failed(format!("{doing} {}: {error}{more}", path.display()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_appears_whole_or_not_and_what_was_cut_is_begun_again() {
        let root = tempfile::tempdir().unwrap();
        let to = root.path().join("b");
        drop(Unfinished::begin(&to).unwrap());
        assert!(is_empty(root.path()));
        std::mem::forget(Unfinished::begin(&to).unwrap());
        assert!(!to.exists() && !is_empty(root.path()));
        let begun = Unfinished::begin(&to).unwrap();
        fs::write(root.path().join("x"), b"abc").unwrap();
        let copied = copy(&root.path().join("x"), &begun.staged.join("in/x"), "in/x".to_owned()).unwrap().unwrap();
        assert_eq!(copied.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        begun.finish().unwrap();
        assert_eq!(below(&to).unwrap(), [PathBuf::from("in/x")]);
        let mode = |path: &str| fs::metadata(to.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("in"), mode("in/x")), (0o700, 0o600));
        verify(&to.join("in/x"), &copied).unwrap();
        fs::write(to.join("in/x"), b"abd").unwrap();
        assert!(verify(&to.join("in/x"), &copied).unwrap_err().to_string().contains("not as it was"));
        assert!(Unfinished::begin(&to).err().unwrap().to_string().contains("not empty"));
    }

    #[test]
    fn a_strangers_folder_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("b.unfinished")).unwrap();
        fs::write(root.path().join("b.unfinished/mine"), b"").unwrap();
        assert!(Unfinished::begin(&root.path().join("b")).is_err());
        assert!(root.path().join("b.unfinished/mine").exists());
    }
}
