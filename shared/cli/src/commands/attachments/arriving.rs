//! A download in progress: its bytes are counted and hashed, and verified at its end.

use std::io;

use kimberly_proto::v1;
use sha2::{Digest as _, Sha256};

use crate::error::{CliError, CliResult};
use crate::text::hex;

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
            "the download of {id} does not match the upload: {came} bytes with the hash {sha256} instead of \
             {size_bytes} with {uploaded}; it was removed, fetch it again"
        )))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::part_file::PartFile;

    #[test]
    fn only_what_was_uploaded_gets_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("film.mp4");
        let (size_bytes, sha256) = (5, hex(Sha256::new_with_prefix(b"bytes")));
        let attachment = v1::Attachment { size_bytes, sha256, ..v1::Attachment::default() };
        for came in [b"byte".as_slice(), b"bytez", b"bytes!", b""] {
            let (part, out) = PartFile::open(&file).unwrap();
            let mut arriving = Arriving::into(out);
            arriving.take(came).unwrap();
            let told = arriving.whole(&attachment).unwrap_err().to_string();
            assert!(told.contains("does not match the upload"), "{told}");
            drop(part);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let (part, out) = PartFile::open(&file).unwrap();
        let mut arriving = Arriving::into(out);
        arriving.take(b"by").unwrap();
        arriving.take(b"tes").unwrap();
        assert_eq!(arriving.bytes(), 5);
        part.finish(&arriving.whole(&attachment).unwrap()).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"bytes");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
