//! Checkpoints: moving the write-ahead log into the database. Never within a commit, and never waiting for a reader.

use std::path::Path;

use kimberly_core::error::Result;
use sqlx::Row as _;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::files;
use crate::sqlite::rows::Cells;

/// Pages that may stand in the log alone while nobody waits: 4 MB.
const WHEN_IDLE: i64 = 1_000;
/// Pages that may stand in the log alone, even while others wait: 16 MB.
const IN_ANY_CASE: i64 = 4_000;

const LOOK: &str = "PRAGMA wal_checkpoint(NOOP)";
const MOVE: &str = "PRAGMA wal_checkpoint(PASSIVE)";
/// Without a timeout, so that a reader in the way does not hold the writer up.
const EMPTY: &str = "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)";

/// A vault's write-ahead log.
#[derive(Default)]
pub(super) struct Log {
    /// Erased text may still stand in the log.
    erased: bool,
}

/// How far the log is moved.
struct State {
    /// Something was in the way.
    busy: bool,
    /// Pages in the log.
    pages: i64,
    /// Of them, those in the database too.
    moved: i64,
}

impl Log {
    /// Remembers that text was erased: the log must be emptied for it to be gone.
    pub(super) fn note_erased(&mut self) {
        self.erased = true;
    }

    /// Whether erased text may still stand in the log.
    pub(super) fn holds_erased(&self) -> bool {
        self.erased
    }

    /// Moves the log of this database if it is time. `idle`: nobody waits.
    pub(super) async fn tidy(&mut self, conn: &mut Conn, database: &Path, idle: bool) -> Result<()> {
        if self.erased && idle {
            return self.empty(conn, database).await;
        }
        let state = checkpoint(conn, LOOK.to_owned()).await?;
        if state.pages - state.moved >= if idle { WHEN_IDLE } else { IN_ANY_CASE } {
            checkpoint(conn, MOVE.to_owned()).await?;
        }
        Ok(())
    }

    /// Empties the log, unless a reader is in the way: then it is to be tried again. What was erased is gone once the empty
    /// log is on disk.
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

async fn checkpoint(conn: &mut Conn, sql: String) -> Result<State> {
    let mut state = State { busy: true, pages: 0, moved: 0 };
    conn.for_each("moving the write-ahead log", sql, Args::new(), |row| {
        // The other statements answer with one column.
        if row.len() == 3 {
            let c = &mut Cells::new(row);
            state = State { busy: c.flag()?, pages: c.int()?, moved: c.int()? };
        }
        Ok(true)
    })
    .await?;
    Ok(state)
}
