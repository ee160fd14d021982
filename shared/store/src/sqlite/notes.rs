//! What a writing connection has put off within its transaction.

use kimberly_core::Timestamp;
use kimberly_core::ports::{AuditEntry, RequestRecord};

/// Things of the open transaction that are done, or done once, at its end. Empty on reading connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// The number that the next memory gets, if known.
    pub(crate) next_seq: Option<i64>,
    /// First and last number of new memories that the full-text index does not hold yet. Adding them once per commit
    /// makes one index segment instead of one per memory.
    pub(crate) unindexed: Option<(i64, i64)>,
    /// What is written with whatever comes last.
    pub(crate) put_off: PutOff,
    /// Entries were added to the audit, and the number of the last one is not kept yet.
    pub(crate) audited: bool,
    /// Rows were erased.
    pub(crate) erased: bool,
    /// When a job was put in the outbox, if one was.
    pub(crate) enqueued: Option<Timestamp>,
}

/// What waits for the end of the work.
#[derive(Clone, Debug, Default)]
pub(crate) struct PutOff {
    /// What was done, for the audit.
    pub(crate) audits: Vec<AuditEntry>,
    /// Answers to keep.
    pub(crate) requests: Vec<RequestRecord>,
    /// Something changed that recall sees, other than by new memories.
    pub(crate) recall_changed: bool,
}

impl PutOff {
    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.audits.is_empty() && self.requests.is_empty() && !self.recall_changed
    }
}

impl Notes {
    /// New memories that are to be indexed later.
    pub(crate) fn add_unindexed(&mut self, first: i64, last: i64) {
        self.unindexed = Some(self.unindexed.map_or((first, last), |(have, _)| (have, last)));
    }
}
