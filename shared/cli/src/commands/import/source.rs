//! The file to import. It is read more than once and never held in memory; what comes from stdin is kept in a temporary
//! file meanwhile.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::error::{CliError, CliResult};

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// A file that can be read again and again.
pub(super) struct Source {
    path: PathBuf,
    /// Removed when dropped.
    _spool: Option<tempfile::NamedTempFile>,
}

impl Source {
    /// A file, or stdin for `-`.
    pub(super) fn open(file: &Path) -> CliResult<Self> {
        if file.as_os_str() != "-" {
            return Ok(Self { path: file.to_owned(), _spool: None });
        }
        let mut spool = tempfile::NamedTempFile::new()?;
        io::copy(&mut io::stdin().lock(), &mut spool)?;
        Ok(Self { path: spool.path().to_owned(), _spool: Some(spool) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// All of it, for formats that are one document.
    pub(super) fn text(&self) -> CliResult<String> {
        let mut raw = Vec::new();
        self.reader()?.read_to_end(&mut raw)?;
        String::from_utf8(raw).map_err(|_| CliError::usage("the file is not UTF-8 text"))
    }

    /// The first line that is not empty.
    pub(super) fn first_line(&self) -> CliResult<String> {
        for line in self.reader()?.lines() {
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
        let (mut hasher, mut chunk, mut reader) = (Sha256::new(), vec![0; CHUNK], self.reader()?);
        loop {
            let read = reader.read(&mut chunk)?;
            if read == 0 {
                let hash = format!("{:x}", hasher.finalize());
                return Ok(hash[..32].to_owned());
            }
            hasher.update(&chunk[..read]);
        }
    }

    fn reader(&self) -> CliResult<BufReader<File>> {
        reader(&self.path)
    }
}

/// Reads a file from its start.
pub(super) fn reader(path: &Path) -> CliResult<BufReader<File>> {
    let file = File::open(path);
    let file = file.map_err(|error| CliError::usage(format!("{} cannot be read: {error}", path.display())))?;
    Ok(BufReader::with_capacity(CHUNK, file))
}

/// What reading a line fails with.
pub(super) fn unreadable(error: io::Error) -> CliError {
    if error.kind() == io::ErrorKind::InvalidData {
        return CliError::usage("the file is not UTF-8 text");
    }
    error.into()
}
