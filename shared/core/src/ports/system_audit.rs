//! The audit of what is there once for all users.

use std::sync::Arc;

use async_trait::async_trait;

use super::vaults::{BoxFuture, Slot};
use super::{AuditEntry, AuditQuery, AuditRange};
use crate::audit::AuditRecord;
use crate::error::Result;
use crate::time::Timestamp;

/// Reads one audit, on one consistent snapshot.
#[async_trait]
pub trait AuditReader: Send {
    /// Where the audit begins and ends.
    async fn audit_range(&mut self) -> Result<AuditRange>;
    /// Entries of the audit, in the order asked for.
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>>;
}

/// Work on a reader of an audit.
pub type AuditWork = Box<dyn for<'r> FnMut(&'r mut dyn AuditReader) -> BoxFuture<'r, Result<()>> + Send>;

/// The audit of the system: what was done to credentials, and what was refused. A chain like that of every vault, of one
/// data folder. Call [`read`](#method.read) on `dyn SystemAudit`.
#[async_trait]
pub trait SystemAudit: Send + Sync {
    /// The name of this log, which no other data folder has.
    async fn name(&self) -> Result<String>;

    /// Adds entries; durable when it returns.
    async fn append(&self, entries: Vec<AuditEntry>) -> Result<()>;

    /// Keeps the oldest entries in less room, some at a time; returns how many. Nothing that is read changes.
    async fn compact(&self) -> Result<usize>;

    /// Runs `work` on one consistent snapshot.
    async fn read_with(&self, work: AuditWork) -> Result<()>;
}

impl dyn SystemAudit + '_ {
    /// Reads something.
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

/// Who does something to the system, and when: for the entry that goes with it, in its transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// As the audit names it.
    pub actor: Arc<str>,
    /// When.
    pub at: Timestamp,
}

impl By {
    /// Somebody.
    pub fn new(actor: impl Into<Arc<str>>, at: Timestamp) -> Self {
        Self { actor: actor.into(), at }
    }
}
