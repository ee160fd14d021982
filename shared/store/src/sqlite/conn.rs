//! A connection to one file.
//!
//! SQLite computes on the calling thread. Reads and writes of vaults run on threads for blocking work, with all of their
//! statements; other statements let tokio move its tasks off the thread meanwhile (`blocking.rs`).

mod args;
mod reads;
mod script;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kimberly_core::audit::AuditHead;
use kimberly_core::error::{Error, Result, StorageFailure};
use rusqlite::{Connection, Row};

pub(crate) use self::args::Args;
use super::errors;
use super::notes::Notes;
use super::pragmas::How;
use super::turn::Turns;
use crate::blocking::blocking;
use crate::sealed::Seals;

/// Adds memories to the full-text index, from a first to a last number.
const INDEX_NEW: &str =
    "INSERT INTO search (rowid, content) SELECT seq, content FROM searchable WHERE seq BETWEEN ? AND ?";

/// A connection to one file.
pub(crate) struct Conn {
    raw: Connection,
    busy_timeout: Duration,
    /// Cancels the open read when set.
    cancelled: Option<Arc<AtomicBool>>,
    /// Control statements to run before the next statement.
    ahead: &'static str,
    /// Error code of the last failed statement; the transaction is then in doubt.
    failure: Option<i32>,
    /// Work that the open transaction has postponed.
    pub(crate) notes: Notes,
    /// End of the audit's chain, as last written by this connection.
    pub(crate) audit_head: Option<AuditHead>,
    /// Opens sealed memories; `None` if the file is not a user's vault.
    pub(crate) seals: Option<Arc<Seals>>,
    /// SQL of a no-op change that replaces a failed commit; only on writing connections.
    rewrite: Option<String>,
    /// Orders the transactions of all processes; only on writing connections.
    turns: Option<Turns>,
}

impl Conn {
    /// Opens a connection.
    pub(crate) fn open(how: &How, busy_timeout: Duration) -> Result<Self> {
        let raw = blocking(|| how.connect()).map_err(|e| errors::sql("opening a database file", &e))?;
        let notes = Notes::default();
        Ok(Self {
            raw,
            busy_timeout,
            cancelled: None,
            ahead: "",
            failure: None,
            notes,
            audit_head: None,
            seals: None,
            rewrite: None,
            turns: None,
        })
    }

    /// Enables undoing commits that fail in their last step; `rewrite` is a no-op change.
    pub(crate) fn take_back_by(self, rewrite: String) -> Self {
        Self { rewrite: Some(rewrite), ..self }
    }

    /// Takes turns with other processes that write the file.
    pub(super) fn in_turn(self, turns: Turns) -> Self {
        Self { turns: Some(turns), ..self }
    }

    /// How long this connection waits for locks.
    pub(crate) fn busy_timeout(&self) -> Duration {
        self.busy_timeout
    }

    /// Runs `control` before the next statement.
    pub(crate) fn send_ahead(&mut self, control: &'static str) {
        self.ahead = control;
    }

    /// Returns whether `send_ahead` was called without a statement since, and drops the control statements.
    pub(crate) fn take_unsent(&mut self) -> bool {
        !std::mem::take(&mut self.ahead).is_empty()
    }

    /// Returns the number of rows changed since the connection was opened, including changes that were rolled back.
    pub(crate) fn changes(&self) -> u64 {
        self.raw.total_changes()
    }

    /// Reports whether a statement failed since the connection was opened or [`Self::forgive`] was called.
    pub(crate) fn failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Returns SQLite's code of the last failure, under the same rule as [`Self::failed`].
    pub(crate) fn failure(&self) -> Option<i32> {
        self.failure
    }

    /// Clears failures after their transaction was rolled back.
    pub(crate) fn forgive(&mut self) {
        self.failure = None;
    }

    /// Runs statements and passes every row to `take` until it returns `false`; returns the number of rows that the last
    /// changing statement changed.
    #[expect(clippy::unused_async, reason = "both backends are called alike, and the other one waits")]
    pub(crate) async fn for_each(
        &mut self,
        doing: &'static str,
        sql: impl Into<Cow<'static, str>> + Send,
        args: Args,
        mut take: impl FnMut(&Row<'_>) -> Result<bool> + Send,
    ) -> Result<u64> {
        if self.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
            return Err(Error::storage(StorageFailure::Unavailable, format!("{doing}: the read was cancelled")));
        }
        let (ahead, sql) = (std::mem::take(&mut self.ahead), sql.into());
        blocking(|| {
            let mut stopped = Ok(());
            let mut outcome = self.script(ahead, &Args::new(), &mut |_| true);
            if outcome.is_ok() {
                outcome = self.script(&sql, &args, &mut |row| match take(row) {
                    Ok(on) => on,
                    Err(error) => {
                        stopped = Err(error);
                        false
                    }
                });
            }
            match outcome {
                Ok(()) => stopped.map(|()| self.raw.changes()),
                Err(error) => Err(self.failed_at(doing, &error)),
            }
        })
    }

    fn script(&self, sql: &str, args: &Args, take: &mut dyn FnMut(&Row<'_>) -> bool) -> rusqlite::Result<()> {
        let _turn = self.turns.as_ref().and_then(|turns| turns.wait(sql));
        script::run(&self.raw, sql, args, take)
    }

    fn failed_at(&mut self, doing: &str, error: &rusqlite::Error) -> Error {
        let code = errors::code(error);
        self.failure = Some(code);
        let failed = errors::sql(doing, error);
        if errors::may_be_in_log(code) { self.take_back(failed) } else { failed }
    }

    /// Undoes a commit whose sync failed. Such a commit is complete in the log, after the committed part, and a process
    /// that opens the file after a crash would replay it. Another commit must overwrite it; until one does, the outcome
    /// is in doubt.
    fn take_back(&self, failed: Error) -> Error {
        let Some(rewrite) = &self.rewrite else { return failed };
        // Fails if SQLite has already rolled back.
        let _ = self.raw.execute_batch("ROLLBACK");
        match self.raw.execute_batch(rewrite) {
            Ok(()) => failed,
            Err(again) => {
                let again = errors::sql("overwriting a failed commit", &again);
                Error::storage(StorageFailure::InDoubt, format!("{failed}; {again}"))
            }
        }
    }

    /// Runs the statements of a schema, which may contain triggers.
    #[expect(clippy::unused_async, reason = "both backends are called alike, and the other one waits")]
    pub(crate) async fn define(&mut self, doing: &'static str, schema: &str) -> Result<()> {
        blocking(|| self.raw.execute_batch(schema)).map_err(|error| self.failed_at(doing, &error))
    }

    crate::statements::runs_statements!(Row<'_>);

    /// Adds the memories inserted in this transaction to the full-text index.
    pub(crate) async fn settle_index(&mut self) -> Result<()> {
        let Some((first, last)) = self.notes.unindexed.take() else { return Ok(()) };
        self.run("indexing new memories", INDEX_NEW, Args::new().with(first).with(last)).await?;
        Ok(())
    }

    /// Closes the connection.
    #[expect(clippy::unused_async, reason = "both backends are called alike, and the other one waits")]
    pub(crate) async fn close(self) -> Result<()> {
        let closed = blocking(|| self.raw.close().map_err(|(_, e)| e));
        closed.map_err(|e| errors::sql("closing a database file", &e))
    }
}
