//! How a read ends: without waiting for the answer, or in the middle of a statement.

use std::sync::atomic::Ordering;

use futures::{FutureExt, StreamExt};
use kimberly_core::error::Result;
use sqlx::Connection as _;

use super::{Args, Conn};
use crate::sqlite::errors;

impl Conn {
    /// Ends the open read without waiting: the command is queued before all later ones.
    pub(crate) fn end_read(&mut self) {
        if self.take_unsent() {
            return;
        }
        let query = sqlx::query("COMMIT");
        let mut answers = sqlx::Executor::fetch_many(&mut self.raw, query);
        let answered = answers.next().now_or_never();
        drop(answers);
        if let Some(Some(Err(e))) = answered {
            self.failure = Some(errors::code(&e));
        }
    }

    /// Cancels a statement that no caller waits for any more. Returns whether one was running; if so, call
    /// [`Self::come_to_rest`] before the connection is used again.
    pub(crate) fn break_off(&self) -> bool {
        match &self.broken_off {
            Some(broken_off) if self.running => {
                broken_off.store(true, Ordering::Relaxed);
                true
            }
            _ => false,
        }
    }

    /// Waits until the cancelled statement has ended, and ends its read.
    pub(crate) async fn come_to_rest(&mut self) -> Result<()> {
        // The connection's thread answers after it has finished the statement.
        self.raw.ping().await.map_err(|e| errors::sql("interrupting a read", &e))?;
        if let Some(broken_off) = &self.broken_off {
            broken_off.store(false, Ordering::Relaxed);
        }
        self.ahead = "";
        self.running = false;
        self.run("ending a read", "COMMIT", Args::new()).await?;
        Ok(())
    }
}
