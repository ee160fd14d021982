//! Tells whether a file has changed since one looked last.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What a file was like: another one in its place, or one that was written to, differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(u64, i64, i64, u64)>);

impl Stamp {
    /// Of the file at a path, which may be missing. Taken before the file is read, so that a change in between is seen.
    pub(crate) fn of(path: &Path) -> Self {
        let stamp = |found: std::fs::Metadata| (found.ino(), found.ctime(), found.ctime_nsec(), found.len());
        Self(std::fs::metadata(path).ok().map(stamp))
    }
}
