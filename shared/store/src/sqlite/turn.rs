//! The order in which processes write a file. SQLite's lock alone is unfair: a waiting process looks at it now and then,
//! and one that commits transaction after transaction has taken it again by then.
//!
//! A process locks the file's folder, waits for SQLite's lock, and unlocks the folder once its transaction has begun. So
//! a process that has just committed gets behind the one that waits. Only SQLite's lock protects the file: this one is not
//! needed for correctness, and the kernel releases it when a process dies.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::options::SqliteOptions;

/// How a transaction that writes begins.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// Pause between attempts to lock the folder.
const PAUSE: Duration = Duration::from_millis(1);
/// The same for background work, so that processes that serve callers are usually first.
const PAUSE_IN_BACKGROUND: Duration = Duration::from_millis(8);

/// Waits for turns to write the files of a folder.
pub(super) struct Turns {
    folder: PathBuf,
    pause: Duration,
    timeout: Duration,
}

/// A turn; dropping it lets the next process wait for SQLite's lock.
pub(super) struct Turn {
    _locked: File,
}

impl Turns {
    pub(super) fn new(folder: &Path, options: &SqliteOptions) -> Self {
        let pause = if options.background { PAUSE_IN_BACKGROUND } else { PAUSE };
        Self { folder: folder.to_owned(), pause, timeout: options.busy_timeout }
    }

    /// Waits for a turn if `sql` begins a transaction that writes. `None` also if the folder cannot be locked, such as on
    /// some network file systems, or a process keeps it for too long: SQLite's lock then decides.
    pub(super) fn wait(&self, sql: &str) -> Option<Turn> {
        if !sql.starts_with(BEGIN) {
            return None;
        }
        let folder = File::open(&self.folder).ok()?;
        let started = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Some(Turn { _locked: folder }),
                Err(TryLockError::WouldBlock) if started.elapsed() < self.timeout => thread::sleep(self.pause),
                Err(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transactions_that_write_wait_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let timeout = Duration::from_millis(20);
        let options = SqliteOptions { busy_timeout: timeout, ..SqliteOptions::new(folder.path()) };
        let turns = Turns::new(folder.path(), &options);
        for sql in ["", "BEGIN;", "COMMIT", "SELECT 1"] {
            assert!(turns.wait(sql).is_none(), "{sql}");
        }
        let first = turns.wait("BEGIN IMMEDIATE;");
        assert!(first.is_some());
        assert!(turns.wait(BEGIN).is_none(), "SQLite's lock decides after the timeout");
        drop(first);
        assert!(turns.wait(BEGIN).is_some());
        let elsewhere = Turns::new(&folder.path().join("gone"), &options);
        assert!(elsewhere.wait(BEGIN).is_none());
    }
}
