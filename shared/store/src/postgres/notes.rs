//! What a transaction has put off.

use kimberly_core::Timestamp;
use kimberly_core::ports::AuditEntry;

/// Things of the open transaction that are done, or done once, at its end. Empty in transactions that read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// What was done, for the audit.
    pub(crate) audits: Vec<AuditEntry>,
    /// When a job was put in the outbox, if one was.
    pub(crate) enqueued: Option<Timestamp>,
}
