//! Page access to a data file.

use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use kimberly_core::error::Result;

use super::page::{Meta, PAGE};
use crate::errors::io;

/// Identifies a file, to detect a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The identity of an open file or folder.
    pub(crate) fn of(meta: &Metadata) -> Self {
        Self { device: meta.dev(), inode: meta.ino() }
    }

    /// The identity of the file at a path; `None` if it is missing.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>> {
        Ok(at(path)?.map(|meta| Self::of(&meta)))
    }
}

/// Identifies the state of a file: any write changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// The identity of the file.
    pub(crate) id: Identity,
    changed: (i64, i64),
}

impl Version {
    /// The version of the file at a path; `None` if it is missing.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>> {
        let meta = at(path)?;
        Ok(meta.map(|meta| Self { id: Identity::of(&meta), changed: (meta.ctime(), meta.ctime_nsec()) }))
    }
}

fn at(path: &Path) -> Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(io("checking", path, &error)),
    }
}

/// An open data file.
pub(super) struct DataFile {
    file: File,
}

impl DataFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| io("opening", path, &error))?;
        Ok(Self { file })
    }

    /// The meta page of the last commit.
    pub(super) fn newest_meta(&self) -> Result<Meta, String> {
        let [first, second] = [self.meta(0)?, self.meta(1)?];
        if first.txn_id.abs_diff(second.txn_id) > 1 {
            return Err("is damaged: its meta pages are not of consecutive commits".to_owned());
        }
        Ok(if second.txn_id > first.txn_id { second } else { first })
    }

    fn meta(&self, number: u64) -> Result<Meta, String> {
        let mut page = [0; PAGE];
        self.read(number, &mut page)?;
        Meta::parse(number, &page).map_err(str::to_owned)
    }

    /// Reads whole pages starting at page `number`.
    pub(super) fn read(&self, number: u64, pages: &mut [u8]) -> Result<(), String> {
        let offset = number.checked_mul(PAGE as u64).ok_or("is damaged: a page number is out of range")?;
        self.file.read_exact_at(pages, offset).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => format!("is truncated: page {number} is missing"),
            _ => format!("page {number} cannot be read: {error}"),
        })
    }
}
