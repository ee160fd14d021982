//! Work that a writing connection postpones within its transaction.

use kimberly_core::Timestamp;
use kimberly_core::audit::AuditEntry;
use kimberly_core::ports::RequestRecord;

/// Postponed work and facts of the open transaction, handled at its end. Always empty on reading connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// The number of the next memory, if known.
    pub(crate) next_seq: Option<i64>,
    /// First and last number of new memories that are not in the full-text index yet. Adding them once per commit makes
    /// one index segment instead of one per memory.
    pub(crate) unindexed: Option<(i64, i64)>,
    /// Written together with the last statement.
    pub(crate) put_off: PutOff,
    /// Whether audit entries were added whose last number is not stored yet.
    pub(crate) audited: bool,
    /// Whether rows were erased.
    pub(crate) erased: bool,
    /// Whether cached texts are stale: [`PutOff::recall_changed`] of any work of the group.
    pub(crate) stale: bool,
    /// When a job was added to the outbox, if any.
    pub(crate) enqueued: Option<Timestamp>,
}

/// Writes postponed to the end of a transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct PutOff {
    /// Audit entries to append.
    pub(crate) audits: Vec<AuditEntry>,
    /// Answers to store.
    pub(crate) requests: Vec<RequestRecord>,
    /// Whether something changed that recall sees, other than new memories.
    pub(crate) recall_changed: bool,
    /// Whether rows changed that graphs of entities are built from.
    pub(crate) evidence_changed: bool,
}

impl PutOff {
    /// Reports whether nothing is postponed.
    pub(crate) fn is_empty(&self) -> bool {
        self.audits.is_empty() && self.requests.is_empty() && !self.recall_changed && !self.evidence_changed
    }
}

impl Notes {
    /// Adds new memories to be indexed later.
    pub(crate) fn add_unindexed(&mut self, first: i64, last: i64) {
        self.unindexed = Some(self.unindexed.map_or((first, last), |(have, _)| (have, last)));
    }
}
