//! A file that gets its name only when it is complete.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::error::{CliError, CliResult};

/// A partial file, removed on drop unless it was finished.
pub(crate) struct PartFile {
    file: PathBuf,
    beside: PathBuf,
    finished: bool,
}

impl PartFile {
    /// Creates `<file>.part`. An existing one may belong to another process, so it stays and this fails.
    pub(crate) fn open(file: &Path) -> CliResult<(Self, File)> {
        let part = file.with_added_extension("part");
        let out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part).map_err(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return CliError::unwritable(&part, &error);
            }
            CliError::usage(format!("{} exists; remove it, or name another file to write", part.display()))
        })?;
        Ok((Self { file: file.to_owned(), beside: part, finished: false }, out))
    }

    /// Syncs the file and gives it its final name.
    pub(crate) fn finish(mut self, out: &File) -> CliResult {
        out.sync_all()?;
        std::fs::rename(&self.beside, &self.file).map_err(|error| CliError::unwritable(&self.file, &error))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if !self.finished {
            // If removal fails, the next write reports the leftover.
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_beside_it_under_the_name_of_a_part_stays() {
        let folder = tempfile::tempdir().unwrap();
        let export = folder.path().join("mine.jsonl.part");
        fs::write(&export, "an export that has not ended").unwrap();
        let Err(told) = PartFile::open(&folder.path().join("mine.jsonl")) else { panic!("it is written to") };
        assert!(told.to_string().contains("exists; remove it"), "{told}");
        assert_eq!(fs::read_to_string(&export).unwrap(), "an export that has not ended");
    }
}
