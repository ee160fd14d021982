//! The memory record (K-2): one record type for all of Kimberly's features.

mod belief;
mod believed;
mod change;
mod detail;
mod draft;
mod edit;
mod filter;
mod kinds;
mod label;
mod name;
mod past;
mod patch;
mod receipt;
mod record;
mod record_kind;
mod size;

pub use belief::{Belief, ConfidenceChange, ConfidenceReason, SourceType};
pub(crate) use believed::NIGHT;
pub use believed::with_texts;
pub use change::{Change, ChangeKind, ChangeRange};
// `detail` has its own list of public types.
pub use detail::*;
pub use draft::{Bound, DraftLimits, MemoryDraft, Metadata};
pub use edit::{Edit, Edited, Refused};
pub(crate) use filter::check_namespaces;
pub use filter::{ListOrder, MemoryFilter, SensitivityFilter};
pub(crate) use kinds::names;
pub use kinds::{ClosedSet, Creator, EmbedMark, Feedback, MemoryState, Outcome, Scope, Source, Tier};
pub(crate) use label::{label_problem, normalized_labels, normalized_name, trimmed_label};
pub(crate) use name::name_problem;
pub use past::Past;
pub use patch::MemoryPatch;
pub use receipt::MemoryReceipt;
pub use record::MemoryRecord;
pub use record_kind::{Layer, RecordKind};
pub use size::size_bytes;

use crate::ids::{MemoryId, Seq};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// Version of the record's schema that this build writes. Older versions can still be read (K-2.4).
pub const SCHEMA_VERSION: i32 = 1;

/// A memory as stored. Its user is the owner of the vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Id of the memory.
    pub id: MemoryId,
    /// Number within the vault, in order of creation.
    pub seq: Seq,
    /// The caller's draft, normalized.
    pub draft: MemoryDraft,
    /// Bytes that count against quotas (K-1.5).
    pub size_bytes: u64,
    /// Worth of keeping it, in [0, 1].
    pub score: f64,
    /// Sentiment of the content in [-1, 1], computed when the content is written.
    pub sentiment: f64,
    /// Traits of the wording, computed when the content is written.
    pub traits: TextTraits,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// When it was last recalled or read.
    pub last_seen_at: Timestamp,
    /// Number of times it was recalled or read.
    pub access_count: u64,
    /// Number of writes, from 1; the etag.
    pub revision: u64,
    /// Version of the schema it was written with.
    pub schema_version: i32,
    /// Lifecycle state.
    pub state: MemoryState,
    /// When it was archived or deleted; `None` while active.
    pub archived_at: Option<Timestamp>,
    /// End of its grace window; `None` while active.
    pub delete_after: Option<Timestamp>,
    /// Whether it is hidden because its consent was retracted; only exports that ask for such memories show them.
    pub withheld: bool,
    /// Its confidence and what that is based on.
    pub belief: Belief,
    /// Tags given by nightly steps, if enabled.
    pub auto_tags: Vec<String>,
}

/// Reports whether a validity from one time to another, each optional, includes a time.
pub(crate) fn holds((from, to): (Option<Timestamp>, Option<Timestamp>), at: Timestamp) -> bool {
    from.is_none_or(|from| from <= at) && to.is_none_or(|to| at < to)
}

impl Memory {
    /// A new memory: active, never seen, with revision 1; values derived from the content are not set.
    pub fn new(id: MemoryId, seq: Seq, mut draft: MemoryDraft, created_at: Timestamp) -> Self {
        let belief = Belief::in_draft(&draft);
        draft.confidence = None;
        Self {
            belief,
            id,
            seq,
            draft,
            size_bytes: 0,
            score: 0.0,
            sentiment: 0.0,
            traits: TextTraits::default(),
            created_at,
            updated_at: created_at,
            last_seen_at: created_at,
            access_count: 0,
            revision: 1,
            schema_version: SCHEMA_VERSION,
            state: MemoryState::Active,
            archived_at: None,
            delete_after: None,
            withheld: false,
            auto_tags: Vec::new(),
        }
    }

    /// The etag: changes with every write by a caller or by meditation that callers should notice, not with accesses.
    pub fn etag(&self) -> String {
        self.revision.to_string()
    }

    /// When the remembered event happened: as stated by the caller, else the creation time.
    pub fn occurred_at(&self) -> Timestamp {
        self.draft.occurred_at.unwrap_or(self.created_at)
    }

    /// Reports whether it is valid at a time.
    pub fn holds_at(&self, at: Timestamp) -> bool {
        holds((self.draft.valid_from, self.draft.valid_to), at)
    }

    /// The receipt of the latest write.
    pub fn receipt(&self) -> MemoryReceipt {
        MemoryReceipt {
            id: self.id,
            tier: self.draft.tier,
            state: self.state,
            size_bytes: self.size_bytes,
            score: self.score,
            etag: self.etag(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            delete_after: self.delete_after,
            masked: false,
            existing: false,
        }
    }
}
