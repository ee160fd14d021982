//! Detects changes of a file between two looks.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Identity and change time of a file: differs if the file was replaced or written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(u64, i64, i64, u64)>);

impl Stamp {
    /// The stamp of a path, which may be missing. Take it before reading the file, so that a change in between is
    /// seen.
    pub(crate) fn of(path: &Path) -> Self {
        let stamp = |found: std::fs::Metadata| (found.ino(), found.ctime(), found.ctime_nsec(), found.len());
        Self(std::fs::metadata(path).ok().map(stamp))
    }
}
