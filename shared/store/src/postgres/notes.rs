//! Work that a transaction postpones.

use kimberly_core::Timestamp;
use kimberly_core::audit::AuditEntry;

/// Postponed work and facts of the open transaction, handled at its end. Always empty in transactions that read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// Audit entries to append.
    pub(crate) audits: Vec<AuditEntry>,
    /// When a job was added to the outbox, if any.
    pub(crate) enqueued: Option<Timestamp>,
    /// Whether memories were erased.
    pub(crate) erased: bool,
}
