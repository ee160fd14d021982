//! How a read ends, and how it is cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::ffi::SQLITE_INTERRUPT;

use super::{Args, Conn, script};
use crate::sqlite::errors;

/// Steps of SQLite's virtual machine between checks for cancellation: several checks per millisecond.
const STEPS_BETWEEN_LOOKS: i32 = 1_000;

impl Conn {
    /// Cancels the read that begins now, and its running statement, once `cancelled` is set.
    pub(crate) fn cancel_by(&mut self, cancelled: &Arc<AtomicBool>) {
        self.cancelled = Some(Arc::clone(cancelled));
        let flag = Arc::clone(cancelled);
        let set = self.raw.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || flag.load(Ordering::Relaxed)));
        debug_assert!(set.is_ok());
    }

    /// Ends the open read. A statement that was cancelled leaves the connection usable.
    pub(crate) fn end_read(&mut self) {
        if self.cancelled.take().is_some() {
            let removed = self.raw.progress_handler(0, None::<fn() -> bool>);
            debug_assert!(removed.is_ok());
        }
        if self.take_unsent() {
            return;
        }
        if self.failure == Some(SQLITE_INTERRUPT) {
            self.forgive();
        }
        if let Err(error) = script::run(&self.raw, "COMMIT", &Args::new(), &mut |_| true) {
            self.failure = Some(errors::code(&error));
        }
    }
}
