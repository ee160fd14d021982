//! Queries for lists of a vault's things, and the items that have no type of their own.

use crate::ids::{AttachmentId, ConsentId, MemoryId, Seq};
use crate::memory::{Change, Memory, MemoryFilter, Tier};
use crate::time::Timestamp;

/// The position where a page of a list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ListKey {
    /// Creation time of the last item.
    pub created_at: Timestamp,
    /// Number of the last item.
    pub seq: Seq,
}

/// A query for names of active records, in byte order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamesQuery {
    /// Selects the records, whatever their states; withheld ones are excluded.
    pub filter: MemoryFilter,
    /// Only names that begin with this.
    pub prefix: String,
    /// Only names after this.
    pub after: String,
    /// At most this many.
    pub limit: usize,
}

/// An active record with a name, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The record.
    pub id: MemoryId,
    /// The record's number.
    pub seq: Seq,
    /// Its tier.
    pub tier: Tier,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// Size of its content, in bytes.
    pub content_bytes: u64,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// Number of writes, from 1; the etag.
    pub revision: u64,
}

/// A query for changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeQuery {
    /// Only changes with a number above this.
    pub after: u64,
    /// Selects the memories by their current state.
    pub filter: MemoryFilter,
    /// Whether to return the memories too.
    pub with_memories: bool,
    /// At most this many changes.
    pub limit: usize,
    /// Approximate limit on the bytes of memories; at least one change is returned if there is one, so only an empty
    /// page is the last.
    pub max_bytes: usize,
}

/// A change together with the current state of its memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenChange {
    /// The change.
    pub change: Change,
    /// Whether the memory passes the filter; an erased one does.
    pub passes: bool,
    /// The memory, if requested, passing and not erased.
    pub memory: Option<Memory>,
}

/// A query for consent records, which come newest first by the time granted, then by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsentQuery {
    /// Records in force at a time.
    Active(Timestamp),
    /// Records with these ids; unknown ones are omitted.
    Ids(Vec<ConsentId>),
    /// A page.
    Page {
        /// Whether to include retracted ones.
        retracted: bool,
        /// Where the previous page ended.
        after: Option<(Timestamp, ConsentId)>,
        /// At most this many.
        limit: usize,
    },
}

/// Number of consent records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsentCount {
    /// All records.
    pub all: usize,
    /// Records in force at the time given.
    pub active: usize,
}

/// A query for attachments, which come oldest first by the time of upload, then by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttachmentQuery {
    /// Attachments with these ids; unknown ones are omitted.
    Ids(Vec<AttachmentId>),
    /// The attachments of a memory.
    OfMemory(Seq),
    /// Attachments of a sensitive memory whose bytes are not encrypted under the sensitive key; at most this many.
    ToSeal(usize),
    /// A page.
    Page {
        /// Where the previous page ended.
        after: Option<(Timestamp, AttachmentId)>,
        /// At most this many.
        limit: usize,
    },
}
