//! What every part of one store shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Clock;
use tokio::sync::Notify;

use super::kept::KeptVaults;
use super::options::PgOptions;
use super::pool::Pool;
use crate::signals::Signals;
use crate::sqlite::sealed::{Analyser, Seals};

/// Connections, clock, and what is kept.
pub(crate) struct Shared {
    pub(crate) options: PgOptions,
    pub(crate) pool: Pool,
    pub(crate) clock: Arc<dyn Clock>,
    /// Takes texts apart.
    pub(crate) analyser: Arc<Analyser>,
    pub(crate) kept: KeptVaults,
    /// Notified after a commit with outbox rows.
    pub(crate) outbox: Arc<Notify>,
    /// Tells those who follow a vault.
    pub(crate) signals: Signals,
    pub(crate) closed: AtomicBool,
}

impl Shared {
    /// Refuses work after the end.
    pub(crate) fn refuse_closed(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::storage(StorageFailure::Unavailable, "the store is closed: shutting down"));
        }
        Ok(())
    }

    /// What opens a user's sealed memories.
    pub(crate) fn seals(&self, _user: &UserId) -> Option<Arc<Seals>> {
        None
    }
}
