//! The answer of a recall.

use std::ops::Range;

use super::semantic::SemanticStatus;
use crate::documents::Passage;
use crate::ids::{MemoryId, Seq};
use crate::memory::Memory;
use crate::ports::Touch;
use crate::recall::{Correction, Did, Explanation, Stage};
use crate::time::Timestamp;

/// A recalled memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// The memory.
    pub memory: Memory,
    /// The final score; comparable within one answer only.
    pub score: f64,
    /// How relevant it is, in [0, 1]; comparable across queries.
    pub relevance: f64,
    /// The best passages of its content, as byte ranges on character boundaries, best first.
    pub highlights: Vec<Range<usize>>,
    /// The best passages of a document that was found by its text, best first.
    pub passages: Vec<Passage>,
    /// When it, or the part of it that ended last, ceased to hold.
    pub ended_at: Option<Timestamp>,
    /// Whether it ranks lower for that: it is found for what ended, and the query does not ask about the past.
    pub gave_way: bool,
    /// The record that holds instead.
    pub superseded_by: Option<MemoryId>,
    /// Of a turn, the records that state what it was found for: they were of use as well.
    pub stated_by: Vec<Seq>,
    /// The parts of its score; only if requested.
    pub explanation: Option<Explanation>,
    /// The contribution of each stage, in the order of stages; only if requested.
    pub parts: Vec<(Stage, f64)>,
}

/// Result of a recall.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryOutput {
    /// The memories, best first, at most `top_k`; the same for the same vault, query and time.
    pub results: Vec<Recalled>,
    /// Whether memories were found, but none of them seems relevant.
    pub nothing_relevant: bool,
    /// Words that no memory holds, and what was searched instead.
    pub corrections: Vec<Correction>,
    /// Touches of these memories, which the caller writes in batches, off the request's path.
    pub touches: Vec<Touch>,
    /// Whether vectors took part, and if not, why.
    pub semantic: SemanticStatus,
    /// The effect of each stage, in order; only if requested.
    pub stages: Vec<Did>,
}
