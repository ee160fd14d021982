//! A data file as pages.

use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use kimberly_core::error::Result;

use super::page::{Meta, PAGE};
use crate::errors::io;

/// What tells one file from another that was put in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// That of an open file or a folder.
    pub(crate) fn of(meta: &Metadata) -> Self {
        Self { device: meta.dev(), inode: meta.ino() }
    }

    /// That of what lies at a path now; `None` if nothing does.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>> {
        Ok(at(path)?.map(|meta| Self::of(&meta)))
    }
}

/// What tells a file from what it becomes by any write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// Which file it is.
    pub(crate) id: Identity,
    changed: (i64, i64),
}

impl Version {
    /// That of what lies at a path now; `None` if nothing does.
    pub(crate) fn at(path: &Path) -> Result<Option<Self>> {
        let meta = at(path)?;
        Ok(meta.map(|meta| Self { id: Identity::of(&meta), changed: (meta.ctime(), meta.ctime_nsec()) }))
    }
}

fn at(path: &Path) -> Result<Option<Metadata>> {
    match std::fs::metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(io("looking at", path, &error)),
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
            return Err("is damaged: its meta pages are not of commits that follow each other".to_owned());
        }
        Ok(if second.txn_id > first.txn_id { second } else { first })
    }

    fn meta(&self, number: u64) -> Result<Meta, String> {
        let mut page = [0; PAGE];
        self.read(number, &mut page)?;
        Meta::parse(number, &page).map_err(str::to_owned)
    }

    /// Reads whole pages from page `number` on.
    pub(super) fn read(&self, number: u64, pages: &mut [u8]) -> Result<(), String> {
        let offset = number.checked_mul(PAGE as u64).ok_or("is damaged: a page number is out of range")?;
        self.file.read_exact_at(pages, offset).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => format!("is cut off: page {number} is missing"),
            _ => format!("page {number} cannot be read: {error}"),
        })
    }
}
