//! Reading an audit, of a vault or of the system; the audit of system-wide actions, shared by all users.

use std::sync::Arc;

use async_trait::async_trait;

use super::vaults::{BoxFuture, Slot};
use crate::audit::{AuditEntry, AuditHead, AuditRecord};
use crate::error::Result;
use crate::time::Timestamp;

/// The extent of a vault's audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditRange {
    /// The last entry that was pruned; `None` if none was.
    pub pruned: Option<AuditHead>,
    /// Number of the last entry, stored separately from the entries; 0 if there is none.
    pub last: u64,
}

/// A query for entries of the audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only entries with a number above this.
    pub after: u64,
    /// Only entries with a number below this, if given.
    pub before: Option<u64>,
    /// Newest first instead of oldest first.
    pub newest_first: bool,
    /// Only entries with this actor, if given.
    pub actor: Option<String>,
    /// Only entries with this action, if given.
    pub action: Option<String>,
    /// Only entries with this subject, if given.
    pub subject: Option<String>,
    /// At most this many.
    pub limit: usize,
}

/// Reads one audit from one consistent snapshot.
#[async_trait]
pub trait AuditReader: Send {
    /// The extent of the audit.
    async fn audit_range(&mut self) -> Result<AuditRange>;
    /// Entries of the audit, in the requested order.
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>>;
}

/// Work on a reader of an audit.
pub type AuditWork = Box<dyn for<'r> FnMut(&'r mut dyn AuditReader) -> BoxFuture<'r, Result<()>> + Send>;

/// The system's audit: changes of credentials, and refused calls. A hash chain like that of every vault, one per data
/// folder. Call [`read`](#method.read) on `dyn SystemAudit`.
#[async_trait]
pub trait SystemAudit: Send + Sync {
    /// The name of this log, unique to the data folder.
    async fn name(&self) -> Result<String>;

    /// Appends entries; durable on return.
    async fn append(&self, entries: Vec<AuditEntry>) -> Result<()>;

    /// Packs some of the oldest entries to save space; returns how many. Reads return the same as before.
    async fn compact(&self) -> Result<usize>;

    /// Runs `work` on one consistent snapshot.
    async fn read_with(&self, work: AuditWork) -> Result<()>;
}

impl dyn SystemAudit + '_ {
    /// Runs a closure on a reader and returns its result.
    pub async fn read<T, F>(&self, mut f: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'r> FnMut(&'r mut dyn AuditReader) -> BoxFuture<'r, Result<T>> + Send + 'static,
    {
        let slot = Slot::default();
        let filled = slot.clone();
        self.read_with(Box::new(move |reader| filled.fill_from(f(reader)))).await?;
        slot.take()
    }
}

/// The actor and time of a system-wide change, for the audit entry written in the same transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// The actor's name in the audit.
    pub actor: Arc<str>,
    /// Time of the change.
    pub at: Timestamp,
}

impl By {
    /// Builds it from an actor's name and a time.
    pub fn new(actor: impl Into<Arc<str>>, at: Timestamp) -> Self {
        Self { actor: actor.into(), at }
    }
}
