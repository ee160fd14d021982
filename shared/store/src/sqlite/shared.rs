//! State shared by all parts of a store.

use std::sync::Arc;
use std::time::Instant;

use kimberly_core::ports::Clock;
use tokio::sync::Notify;

use super::layout::Layout;
use super::options::SqliteOptions;
use super::registry::SystemDb;
use super::template::Template;
use crate::cache::Budget;
use crate::sealed::Analyser;
use crate::signals::Signals;

/// Options, paths, clock and registry of a store.
pub(crate) struct Shared {
    /// The shared lock on the data folder.
    pub(crate) _in_use: std::fs::File,
    pub(crate) options: SqliteOptions,
    pub(crate) layout: Layout,
    pub(crate) template: Template,
    pub(crate) registry: SystemDb,
    pub(crate) clock: Arc<dyn Clock>,
    /// Budget of the cached columns and words of all vaults.
    pub(crate) columns: Arc<Budget>,
    /// Tokenizes texts of sealed memories.
    pub(crate) analyser: Arc<Analyser>,
    /// Notified after a commit with outbox rows.
    pub(crate) outbox: Arc<Notify>,
    /// Notifies followers of vaults.
    pub(crate) signals: Signals,
    /// Held while a vault is read from end to end.
    pub(crate) examining: tokio::sync::Mutex<()>,
    /// Idle times are counted from here.
    pub(crate) started: Instant,
}
