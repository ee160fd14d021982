//! Checkpoints: move the write-ahead log into the database, never within a commit and never waiting for a reader.

use std::fs::{self, OpenOptions};
use std::path::Path;

use kimberly_core::error::Result;
use rustix::fs::{FallocateFlags, fallocate};

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::files;
use crate::sqlite::rows::{Cells, ReadRow as _};

/// Pages only in the log that trigger a checkpoint when the vault is quiet: 4 MB.
const WHEN_QUIET: i64 = 1_000;
/// Pages only in the log that trigger a checkpoint at once: 16 MB.
const IN_ANY_CASE: i64 = 4_000;

/// Bytes of a page in the log, with the header of its frame.
const FRAME: u64 = 4_096 + 24;
/// Bytes of a log that is worth allocating ahead. Shorter ones are of vaults with a few writes at a time.
const BURST: u64 = 32 * FRAME;
/// Bytes left at which more are allocated: enough for most groups.
const MARGIN: u64 = 32 * FRAME;
/// Maximum bytes to allocate ahead: 1 MB.
const AHEAD: u64 = 256 * FRAME;

const LOOK: &str = "PRAGMA wal_checkpoint(NOOP)";
const MOVE: &str = "PRAGMA wal_checkpoint(PASSIVE)";
/// Without a timeout, so that a reader does not delay the writer.
const EMPTY: &str = "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)";

/// A vault's write-ahead log.
#[derive(Default)]
pub(super) struct Log {
    /// Whether the log may contain erased text.
    erased: bool,
    /// Whether a checkpoint is due when the vault is quiet.
    due: bool,
}

/// Progress of a checkpoint.
struct State {
    /// Whether a lock was in the way.
    busy: bool,
    /// Pages in the log.
    pages: i64,
    /// Pages of the log that are also in the database.
    moved: i64,
}

impl Log {
    /// Records that text was erased: the log must be emptied.
    pub(super) fn note_erased(&mut self) {
        self.erased = true;
    }

    /// Reports whether the log may contain erased text.
    pub(super) fn holds_erased(&self) -> bool {
        self.erased
    }

    /// Reports whether a checkpoint is due when the vault is quiet.
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// Runs a checkpoint after a group if it is due at once. `idle` says that no request waits.
    pub(super) async fn tidy(&mut self, conn: &mut Conn, database: &Path, idle: bool) -> Result<()> {
        if self.erased && idle {
            return self.empty(conn, database).await;
        }
        let state = checkpoint(conn, LOOK.to_owned()).await?;
        let pages = state.pages - state.moved;
        if pages >= IN_ANY_CASE {
            return self.shrink(conn).await;
        }
        self.due = pages >= WHEN_QUIET;
        allocate(database, u64::try_from(state.pages).unwrap_or_default() * FRAME);
        Ok(())
    }

    /// Runs a checkpoint.
    pub(super) async fn shrink(&mut self, conn: &mut Conn) -> Result<()> {
        self.due = false;
        checkpoint(conn, MOVE.to_owned()).await.map(drop)
    }

    /// Empties the log unless a reader blocks that; the caller then retries. Erased text is gone once the empty log is
    /// durable.
    pub(super) async fn empty(&mut self, conn: &mut Conn, database: &Path) -> Result<()> {
        let timeout = conn.busy_timeout().as_millis();
        let state = checkpoint(conn, format!("{EMPTY}; PRAGMA busy_timeout = {timeout}")).await?;
        if self.erased && !state.busy && state.pages == state.moved {
            files::sync_log(database).await?;
            self.erased = false;
        }
        Ok(())
    }
}

/// Allocates the log's next part, as much as is used: a sync that also changes a file's size waits for the journal of the
/// file system, which all vaults share. SQLite ignores what follows the last valid frame.
fn allocate(database: &Path, used: u64) {
    if used < BURST {
        return;
    }
    let log = files::beside(database, "-wal");
    let size = fs::metadata(&log).map_or(0, |log| log.len());
    if size < used + MARGIN {
        let more = (used + used.min(AHEAD) + MARGIN).saturating_sub(size);
        // Without it, as on a full disk, commits are only slower, or fail by themselves.
        let _ =
            OpenOptions::new().write(true).open(&log).map(|log| fallocate(log, FallocateFlags::empty(), size, more));
    }
}

async fn checkpoint(conn: &mut Conn, sql: String) -> Result<State> {
    let mut state = State { busy: true, pages: 0, moved: 0 };
    conn.for_each("checkpointing the write-ahead log", sql, Args::new(), |row| {
        // The other statements return one column.
        if row.as_ref().column_count() == 3 {
            let c = &mut Cells::new(row);
            state = State { busy: c.flag()?, pages: c.int()?, moved: c.int()? };
        }
        Ok(true)
    })
    .await?;
    Ok(state)
}
