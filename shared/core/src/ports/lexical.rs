//! Queries for the full-text index, and the memories that they find.

use crate::ids::Seq;
use crate::memory::{MemoryFilter, Tier};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// One term of a lexical query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexicalTerm {
    /// The words, which must be adjacent if more than one. Plain text: the backend quotes and stems it.
    pub words: Vec<String>,
    /// Whether the last word is a prefix.
    pub prefix: bool,
}

impl LexicalTerm {
    /// A term of one whole word.
    pub fn word(word: &str) -> Self {
        Self { words: vec![word.to_owned()], prefix: false }
    }
}

/// A query for the full-text index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexicalQuery {
    /// Terms of which at least one must match; each adds its BM25.
    pub any: Vec<LexicalTerm>,
    /// Terms that must all match too.
    pub all: Vec<LexicalTerm>,
    /// The memories to search.
    pub filter: MemoryFilter,
}

/// The position of a memory in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionSpot {
    /// Number of the session in the vault.
    pub session: i64,
    /// Position in it, counting up from 0 in order of creation; positions of erased memories stay empty.
    pub position: i64,
}

/// A memory that matched a query.
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalHit {
    /// The memory's number.
    pub seq: Seq,
    /// BM25, positive, larger is better.
    pub bm25: f64,
    /// Its session and position, if it has one.
    pub spot: Option<SessionSpot>,
    /// Number of its speaker in the vault, if it has one.
    pub speaker: Option<i64>,
    /// When the remembered event happened.
    pub occurred_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// Traits of its wording.
    pub traits: TextTraits,
    /// Its score.
    pub score: f64,
    /// Its tier.
    pub tier: Tier,
    /// Whether some of its sources are gone.
    pub stale: bool,
}

/// A memory near a hit in its session; it passes the same filter.
pub type Neighbour = LexicalHit;
