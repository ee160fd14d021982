//! When to drop a connection and reopen the file: after an error, and when the file at the path is no longer the open
//! one.
//!
//! Without it a push into a deleted or replaced file would be acknowledged and lost.

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// Device and inode; `None` if the file is missing or the platform has neither.
type Identity = Option<(u64, u64)>;

/// Checks the pool's one connection each time it is acquired.
#[derive(Debug)]
pub(super) struct Renewal {
    path: PathBuf,
    base: Instant,
    stale_before_ms: AtomicU64,
    opened: Mutex<Identity>,
}

impl Renewal {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            base: Instant::now(),
            stale_before_ms: AtomicU64::new(0),
            opened: Mutex::new(None),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Records the identity of the file when a connection opens.
    pub(super) fn note_opened(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = identity(&self.path);
    }

    /// Marks all open connections as stale: an old handle may fail where a new one works.
    pub(super) fn renew(&self) {
        self.stale_before_ms.store(millis(self.base.elapsed()), Ordering::Release);
    }

    /// Whether a connection of this age may be used.
    pub(super) fn is_fresh(&self, age: Duration) -> bool {
        let opened_at = self.base.elapsed().saturating_sub(age);
        let opened = *self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        millis(opened_at) >= self.stale_before_ms.load(Ordering::Acquire) && opened == identity(&self.path)
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Identity {
    use std::os::unix::fs::MetadataExt;
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Identity {
    None
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
