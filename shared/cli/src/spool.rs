//! Data spooled to disk for a moment: in an unnamed temporary file, encrypted under a key that only this process has.
//! Nothing readable remains, whatever happens to the process and to the disk blocks.

use std::fs::File;
use std::io::{self, Read, Seek as _, Write};

use kimberly_archive::envelope::{Envelope, EnvelopeError, EnvelopeWriter, Identities, throwaway};

/// A spool being written.
#[derive(Debug)]
pub(crate) struct Spool {
    out: EnvelopeWriter<File>,
    key: Identities,
}

impl Spool {
    pub(crate) fn new() -> io::Result<Self> {
        let (recipients, key) = throwaway();
        Ok(Self { out: EnvelopeWriter::new(tempfile::tempfile()?, &recipients)?, key })
    }

    /// The encrypted file and the key that opens it.
    pub(crate) fn into_parts(self) -> io::Result<(File, Identities)> {
        let mut file = self.out.finish()?;
        file.rewind()?;
        Ok((file, self.key))
    }

    /// The spooled data, readable once.
    pub(crate) fn into_reader(self) -> io::Result<impl Read> {
        let (file, key) = self.into_parts()?;
        let opened = Envelope::read(file).and_then(|envelope| envelope.open(&key)).map_err(EnvelopeError::into_io)?;
        Ok(opened.reader)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
