//! A download in progress: the file gets its name only after its bytes were verified.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use kimberly_proto::v1;
use sha2::{Digest as _, Sha256};

use super::unwritable;
use crate::commands::attach::hex;
use crate::error::{CliError, CliResult};

/// Writes bytes through, counting and hashing them.
pub(super) struct Arriving<W> {
    out: W,
    hasher: Sha256,
    bytes: i64,
}

impl<W: io::Write> Arriving<W> {
    pub(super) fn into(out: W) -> Self {
        Self { out, hasher: Sha256::new(), bytes: 0 }
    }

    /// Bytes received so far, from where the download resumes.
    pub(super) fn bytes(&self) -> i64 {
        self.bytes
    }

    pub(super) fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.out.write_all(piece)?;
        self.hasher.update(piece);
        self.bytes = self.bytes.saturating_add(i64::try_from(piece.len()).unwrap_or(i64::MAX));
        Ok(())
    }

    /// Returns the writer if size and hash match the attachment.
    pub(super) fn whole(mut self, attachment: &v1::Attachment) -> CliResult<W> {
        self.out.flush()?;
        let (came, sha256) = (self.bytes, hex(self.hasher));
        if (came, &sha256) == (attachment.size_bytes, &attachment.sha256) {
            return Ok(self.out);
        }
        let v1::Attachment { id, size_bytes, sha256: uploaded, .. } = attachment;
        Err(CliError::failed(format!(
            "what came is not what was uploaded as {id}: {came} bytes with the hash {sha256} instead of {size_bytes} with \
             {uploaded}; nothing is kept, fetch it again"
        )))
    }
}

/// A partial file, removed on drop unless it was finished.
pub(in crate::commands) struct Part {
    file: PathBuf,
    beside: PathBuf,
    finished: bool,
}

impl Part {
    /// Creates `<file>.part`. An existing one may belong to someone else, so it stays and this fails.
    pub(in crate::commands) fn open(file: &Path) -> CliResult<(Self, File)> {
        let part = file.with_added_extension("part");
        let out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part).map_err(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return unwritable(&part, &error);
            }
            CliError::usage(format!("{} is in the way; remove it, or name another file to write", part.display()))
        })?;
        Ok((Self { file: file.to_owned(), beside: part, finished: false }, out))
    }

    /// Syncs the file and gives it its final name.
    pub(in crate::commands) fn finish(mut self, out: &File) -> CliResult {
        out.sync_all()?;
        std::fs::rename(&self.beside, &self.file).map_err(|error| unwritable(&self.file, &error))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.finished {
            // If removal fails, the next download reports the leftover.
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_what_was_uploaded_gets_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("film.mp4");
        let (size_bytes, sha256) = (5, hex(Sha256::new_with_prefix(b"bytes")));
        let attachment = v1::Attachment { size_bytes, sha256, ..v1::Attachment::default() };
        for came in [b"byte".as_slice(), b"bytez", b"bytes!", b""] {
            let (part, out) = Part::open(&file).unwrap();
            let mut arriving = Arriving::into(out);
            arriving.take(came).unwrap();
            let told = arriving.whole(&attachment).unwrap_err().to_string();
            assert!(told.contains("is not what was uploaded"), "{told}");
            drop(part);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let (part, out) = Part::open(&file).unwrap();
        let mut arriving = Arriving::into(out);
        arriving.take(b"by").unwrap();
        arriving.take(b"tes").unwrap();
        assert_eq!(arriving.bytes(), 5);
        part.finish(&arriving.whole(&attachment).unwrap()).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"bytes");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_lies_beside_it_under_the_name_of_a_part_stays() {
        let folder = tempfile::tempdir().unwrap();
        let export = folder.path().join("mine.jsonl.part");
        fs::write(&export, "an export that has not ended").unwrap();
        let Err(told) = Part::open(&folder.path().join("mine.jsonl")) else { panic!("it is written to") };
        assert!(told.to_string().contains("is in the way"), "{told}");
        assert_eq!(fs::read_to_string(&export).unwrap(), "an export that has not ended");
    }
}
