//! The file to import. It is read more than once and never held in memory; what comes from stdin is kept in a temporary
//! file meanwhile, which has no name, so that nothing is left of it however the command ends.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::error::{CliError, CliResult};

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// A file that can be read again and again, also by several at once. Cloning is cheap.
#[derive(Clone, Debug)]
pub(super) struct Source(Arc<File>);

impl Source {
    /// A file, or stdin for `-`.
    pub(super) fn open(file: &Path) -> CliResult<Self> {
        if file.as_os_str() == "-" {
            return Self::kept(&mut io::stdin().lock());
        }
        let opened = File::open(file);
        let opened = opened.map_err(|error| CliError::usage(format!("{} cannot be read: {error}", file.display())))?;
        // Pipes, such as those that shells make of `<(...)`, can be read only once.
        if opened.metadata()?.is_file() { Ok(Self(Arc::new(opened))) } else { Self::kept(&mut &opened) }
    }

    /// All that a reader gives, kept to be read again.
    fn kept(reader: &mut impl Read) -> CliResult<Self> {
        let mut spool = tempfile::tempfile()?;
        io::copy(reader, &mut spool)?;
        Ok(Self(Arc::new(spool)))
    }

    /// All of it, for formats that are one document.
    pub(super) fn text(&self) -> CliResult<String> {
        let mut raw = Vec::new();
        self.reader().read_to_end(&mut raw)?;
        String::from_utf8(raw).map_err(|_| CliError::usage("the file is not UTF-8 text"))
    }

    /// Its first bytes, at most so many.
    pub(super) fn beginning(&self, most: u64) -> CliResult<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader().take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The first line that is not empty.
    pub(super) fn first_line(&self) -> CliResult<String> {
        for line in self.reader().lines() {
            let line = line.map_err(unreadable)?;
            let line = line.trim_start_matches('\u{feff}').trim();
            if !line.is_empty() {
                return Ok(line.to_owned());
            }
        }
        Err(CliError::usage("the file is empty"))
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

    /// Reads it from its start.
    pub(super) fn reader(&self) -> BufReader<Reader> {
        BufReader::with_capacity(CHUNK, Reader { file: Arc::clone(&self.0), at: 0 })
    }
}

/// Reads a file from its start, whoever else reads it.
#[derive(Debug)]
pub(super) struct Reader {
    file: Arc<File>,
    at: u64,
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// What reading a line fails with.
pub(super) fn unreadable(error: io::Error) -> CliError {
    if error.kind() == io::ErrorKind::InvalidData {
        return CliError::usage("the file is not UTF-8 text");
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn what_came_from_a_pipe_is_read_again_and_again_and_has_no_name() {
        let source = Source::kept(&mut &b"one\ntwo\n"[..]).unwrap();
        assert_eq!(source.0.metadata().unwrap().nlink(), 0, "nothing is left to be removed");
        let (mut first, mut second) = (source.reader(), source.clone().reader());
        let mut line = String::new();
        first.read_line(&mut line).unwrap();
        second.read_line(&mut line).unwrap();
        first.read_line(&mut line).unwrap();
        assert_eq!(line, "one\none\ntwo\n");
        assert_eq!((source.first_line().unwrap(), source.text().unwrap()), ("one".to_owned(), "one\ntwo\n".to_owned()));
    }
}
