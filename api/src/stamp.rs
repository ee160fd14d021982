//! Detects whether files have changed.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Identifies the state of a file. It differs after a write to the file or its replacement by another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(u64, i64, i64, u64)>);

impl Stamp {
    /// Returns the stamp of one file.
    fn of(path: &Path) -> Self {
        let stamp = |found: std::fs::Metadata| (found.ino(), found.ctime(), found.ctime_nsec(), found.len());
        Self(std::fs::metadata(path).ok().map(stamp))
    }

    /// Returns the stamps of files, in their order. Taken before the files are read, to detect a change in between.
    pub(crate) fn now(paths: &[PathBuf]) -> Vec<Self> {
        paths.iter().map(|path| Self::of(path)).collect()
    }

    /// Like [`Self::now`], on a thread that may block.
    pub(crate) async fn of_all(paths: impl IntoIterator<Item = PathBuf>) -> Vec<Self> {
        let paths: Vec<PathBuf> = paths.into_iter().collect();
        tokio::task::spawn_blocking(move || Self::now(&paths)).await.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn a_file_that_comes_changes_is_replaced_or_goes_differs() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("file"), folder.path().join("other"));
        let look = || Stamp::of_all([file.clone()]);
        let mut stamps = vec![look().await];
        fs::write(&file, "one").unwrap();
        stamps.push(look().await);
        assert_eq!(look().await, stamps[1], "nothing has changed");
        fs::write(&file, "longer").unwrap();
        stamps.push(look().await);
        fs::write(&other, "second").unwrap();
        fs::rename(&other, &file).unwrap();
        stamps.push(look().await);
        for pair in stamps.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(look().await, stamps[0]);
    }
}
