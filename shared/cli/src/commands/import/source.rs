//! The file to import. It is read several times and never held in memory. Stdin is saved to an unnamed temporary file,
//! encrypted under a key that only this process has, so that nothing remains however the command ends. A file encrypted
//! with age is decrypted on every read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use kimberly_archive::envelope::{Envelope, EnvelopeError, EnvelopeReader, Identities, is_envelope};
use sha2::{Digest as _, Sha256};

use crate::envelope::OpeningArgs;
use crate::error::{CliError, CliResult};
use crate::spool::Spool;

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// Bytes needed to recognize an envelope.
const BEGINNING: u64 = 64;

/// A file that can be read repeatedly and concurrently. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Source {
    file: Arc<File>,
    /// The key, if the file is encrypted.
    key: Option<Arc<Identities>>,
}

impl Source {
    /// Opens a file, or stdin for `-`, with the identities that may decrypt it.
    pub(super) fn open(file: &Path, opening: &OpeningArgs) -> CliResult<Self> {
        if file.as_os_str() == "-" {
            return Self::spooled(&mut io::stdin().lock(), ("stdin", opening));
        }
        let name = file.display().to_string();
        let opened = File::open(file);
        let opened = opened.map_err(|error| CliError::usage(format!("{name} cannot be read: {error}")))?;
        // Pipes, such as a shell's `<(...)`, can be read only once.
        if !opened.metadata()?.is_file() {
            return Self::spooled(&mut &opened, (&name, opening));
        }
        let plain = Self { file: Arc::new(opened), key: None };
        if is_envelope(&plain.beginning(BEGINNING)?) {
            return plain.opened((&name, opening));
        }
        opening.refuse_plain(&name)?;
        Ok(plain)
    }

    /// Saves a reader's content for repeated reading: unchanged if it is encrypted, else encrypted here.
    fn spooled(reader: &mut impl Read, (name, opening): (&str, &OpeningArgs)) -> CliResult<Self> {
        let mut beginning = Vec::new();
        reader.take(BEGINNING).read_to_end(&mut beginning)?;
        let mut all = beginning.as_slice().chain(reader);
        if is_envelope(&beginning) {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut all, &mut file)?;
            return Self { file: Arc::new(file), key: None }.opened((name, opening));
        }
        opening.refuse_plain(name)?;
        let mut spool = Spool::new()?;
        io::copy(&mut all, &mut spool)?;
        let (file, key) = spool.into_parts()?;
        Ok(Self { file: Arc::new(file), key: Some(Arc::new(key)) })
    }

    /// Opens the envelope.
    fn opened(self, (name, opening): (&str, &OpeningArgs)) -> CliResult<Self> {
        let opened = opening.open(name, self.reader())?;
        Ok(Self { key: Some(Arc::new(opened.key)), ..self })
    }

    /// The whole content, for formats that are one document.
    pub(super) fn text(&self) -> CliResult<String> {
        let mut raw = Vec::new();
        self.reader().read_to_end(&mut raw)?;
        String::from_utf8(raw).map_err(|_| CliError::usage("the file is not UTF-8 text"))
    }

    /// The first bytes, at most `most`.
    pub(super) fn beginning(&self, most: u64) -> CliResult<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader().take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The first half of the file's SHA-256, in hex.
    pub(super) fn fingerprint(&self) -> CliResult<String> {
        let (mut hasher, mut chunk, mut reader) = (Sha256::new(), vec![0; CHUNK], self.reader());
        loop {
            let read = reader.read(&mut chunk)?;
            if read == 0 {
                let hash = format!("{:x}", hasher.finalize());
                return Ok(hash[..32].to_owned());
            }
            hasher.update(&chunk[..read]);
        }
    }

    /// A reader from the start.
    pub(super) fn reader(&self) -> BufReader<Reader> {
        let raw = Raw { file: Arc::clone(&self.file), at: 0 };
        let reader = match &self.key {
            None => Reader::Plain(raw),
            Some(key) => Reader::Closed(raw, Arc::clone(key)),
        };
        BufReader::with_capacity(CHUNK, reader)
    }
}

/// Reads a file from its start, independently of other readers.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    file: Arc<File>,
    at: u64,
}

impl Read for Raw {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads the decrypted content of a file from its start.
#[derive(Debug)]
pub(super) enum Reader {
    Plain(Raw),
    /// An envelope that is opened at the first read.
    Closed(Raw, Arc<Identities>),
    Opened(Box<EnvelopeReader<Raw>>),
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self {
                Self::Plain(raw) => return raw.read(into),
                Self::Opened(reader) => return reader.read(into),
                Self::Closed(raw, key) => {
                    let opened = Envelope::read(raw.clone()).and_then(|envelope| envelope.open(key));
                    *self = Self::Opened(Box::new(opened.map_err(EnvelopeError::into_io)?.reader));
                }
            }
        }
    }
}

/// Converts a read error.
pub(super) fn unreadable(error: io::Error) -> CliError {
    if error.kind() == io::ErrorKind::InvalidData {
        return CliError::usage("the file is not UTF-8 text");
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use std::io::BufRead as _;
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn what_came_from_a_pipe_is_read_again_and_again_and_has_no_name() {
        let source = Source::spooled(&mut &b"one\ntwo\n"[..], ("stdin", &OpeningArgs::default())).unwrap();
        assert_eq!(source.file.metadata().unwrap().nlink(), 0, "nothing is left to be removed");
        let mut kept = Vec::new();
        Raw { file: Arc::clone(&source.file), at: 0 }.read_to_end(&mut kept).unwrap();
        assert!(is_envelope(&kept) && !kept.windows(3).any(|bytes| bytes == b"one"), "nothing is left to be read");
        let (mut first, mut second) = (source.reader(), source.clone().reader());
        let mut line = String::new();
        first.read_line(&mut line).unwrap();
        second.read_line(&mut line).unwrap();
        first.read_line(&mut line).unwrap();
        assert_eq!(line, "one\none\ntwo\n");
        assert_eq!(source.text().unwrap(), "one\ntwo\n");
    }
}
