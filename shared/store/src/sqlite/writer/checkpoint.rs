//! Checkpoints: moving the write-ahead log into the database. Never within a commit.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kimberly_core::error::Result;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;

/// The log is moved when it is larger than this and nobody waits.
const WHEN_IDLE: u64 = 1024 * 1024;
/// The log is moved when it is larger than this, whoever waits.
const IN_ANY_CASE: u64 = 8 * 1024 * 1024;

/// A vault's write-ahead log.
pub(super) struct Log {
    path: PathBuf,
    /// Erased text may still stand in the log.
    erased: bool,
    /// Bytes of the log that are known to be in the database already.
    moved: u64,
}

impl Log {
    pub(super) fn new(database: &Path) -> Self {
        let mut path: OsString = database.as_os_str().to_owned();
        path.push("-wal");
        Self { path: path.into(), erased: false, moved: 0 }
    }

    /// Remembers that text was erased: the log must be emptied for it to be gone.
    pub(super) fn note_erased(&mut self) {
        self.erased = true;
    }

    /// Moves the log if it is time.
    pub(super) async fn tidy(&mut self, conn: &mut Conn, idle: bool) -> Result<()> {
        if self.erased && idle {
            // A reader may hold it up: then again after the next commit, and in any case at rest.
            self.erased = !truncate(conn).await?;
            self.moved = 0;
            return Ok(());
        }
        let bytes = std::fs::metadata(&self.path).map_or(0, |meta| meta.len());
        let grown = if bytes < self.moved { bytes } else { bytes - self.moved };
        if grown < if idle { WHEN_IDLE } else { IN_ANY_CASE } {
            return Ok(());
        }
        let whole = checkpoint(conn, "PRAGMA wal_checkpoint(PASSIVE)").await?;
        // A reader held part of it up: looks again soon.
        self.moved = if whole { bytes } else { bytes.saturating_sub(WHEN_IDLE / 2) };
        Ok(())
    }
}

/// Empties the log; `false` if a reader held it up.
pub(super) async fn truncate(conn: &mut Conn) -> Result<bool> {
    checkpoint(conn, "PRAGMA wal_checkpoint(TRUNCATE)").await
}

async fn checkpoint(conn: &mut Conn, pragma: &'static str) -> Result<bool> {
    let result = conn
        .row("moving the write-ahead log", pragma, Args::new(), |row| {
            let c = &mut Cells::new(row);
            Ok((c.flag()?, c.int()?, c.int()?))
        })
        .await?;
    Ok(result.is_some_and(|(busy, in_log, moved)| !busy && in_log == moved))
}
