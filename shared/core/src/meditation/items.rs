//! The properties of memories that steps read: the facts for scoring and for retention.

use crate::ids::{MemoryId, Seq};
use crate::memory::{Creator, Memory, MemoryState, RecordKind, SourceType, Tier};
use crate::retention::WarmthFacts;
use crate::scoring::ScoreRecord;
use crate::time::Timestamp;

/// Bytes of content in a page of memories to score, which are read, scored and stored in one transaction.
pub const SCORING_PAGE_BYTES: usize = 128 * 1024;

/// The facts that scoring needs about one memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoringItem {
    /// Its sequence number in the vault.
    pub seq: Seq,
    /// Its content, for relevance.
    pub content: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Sentiment in [-1, 1].
    pub sentiment: f64,
    /// Explicit feedback in [-1, 1], if any.
    pub feedback: Option<f64>,
    /// Helpful outcomes of the memory.
    pub helpful: u64,
    /// Unhelpful outcomes of the memory.
    pub unhelpful: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last recalled or read.
    pub last_seen_at: Timestamp,
    /// How often it was recalled or read.
    pub access_count: u64,
}

/// Outcomes of all memories that carry a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagOutcomes {
    /// The tag.
    pub tag: String,
    /// Helpful outcomes.
    pub helpful: u64,
    /// Unhelpful outcomes.
    pub unhelpful: u64,
}

/// A memory's new score.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// Its sequence number in the vault.
    pub seq: Seq,
    /// The score, with everything it was computed from.
    pub record: ScoreRecord,
}

/// The facts that retention needs about one memory; no content.
#[derive(Clone, Debug, PartialEq)]
pub struct RetentionItem {
    /// Its sequence number in the vault.
    pub seq: Seq,
    /// Its id.
    pub id: MemoryId,
    /// Its tier.
    pub tier: Tier,
    /// Its state.
    pub state: MemoryState,
    /// Whether the system must leave it alone, because it is protected or [lasts](crate::retention::lasts) anyway.
    pub protected: bool,
    /// Its bytes.
    pub size_bytes: u64,
    /// Its score.
    pub score: f64,
    /// When it was created.
    pub created_at: Timestamp,
    /// The end of its grace window.
    pub delete_after: Option<Timestamp>,
    /// Number of the session it belongs to, if any.
    pub session: Option<i64>,
    /// From 1 to 10; 0 if none was given.
    pub importance: i32,
    /// Whether a person wrote it, and so gave its importance.
    pub by_hand: bool,
    /// How often it was recalled or read.
    pub access_count: u64,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// When it was last recalled or read.
    pub last_seen_at: Timestamp,
    /// How it came to be known.
    pub source_type: SourceType,
    /// Whether a person tagged it.
    pub tagged: bool,
    /// Its kind.
    pub kind: RecordKind,
    /// The start of its validity, if stated.
    pub valid_from: Option<Timestamp>,
    /// The time until which it holds, if stated.
    pub valid_to: Option<Timestamp>,
}

impl RetentionItem {
    /// Collects the facts of a memory, without its session.
    pub fn of(memory: &Memory) -> Self {
        Self {
            seq: memory.seq,
            id: memory.id,
            tier: memory.draft.tier,
            state: memory.state,
            protected: memory.draft.lasts(),
            size_bytes: memory.size_bytes,
            score: memory.score,
            created_at: memory.created_at,
            delete_after: memory.delete_after,
            session: None,
            importance: memory.draft.importance,
            by_hand: memory.draft.created_by == Creator::User,
            access_count: memory.access_count,
            updated_at: memory.updated_at,
            last_seen_at: memory.last_seen_at,
            source_type: memory.draft.source_type(),
            tagged: !memory.draft.metadata.tags.is_empty(),
            kind: memory.draft.kind,
            valid_from: memory.draft.valid_from,
            valid_to: memory.draft.valid_to,
        }
    }

    /// Reports whether a run concluded it, as far as these facts tell. A person may have ended it since.
    pub fn is_concluded(&self) -> bool {
        let kind = matches!(self.kind, RecordKind::Insight | RecordKind::Profile);
        kind && !self.by_hand && self.source_type == SourceType::Inference
    }

    /// Returns the facts that its warmth is computed from.
    pub const fn warmth(&self) -> WarmthFacts {
        WarmthFacts {
            created_at: self.created_at,
            used_at: if self.last_seen_at.0 > self.updated_at.0 { self.last_seen_at } else { self.updated_at },
            access_count: self.access_count,
            importance: self.importance,
            trust: self.source_type.weight(),
            pinned: self.protected,
            tagged: self.tagged,
        }
    }
}
