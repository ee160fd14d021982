//! What reading a turn came to.

use super::candidate::LeftOut;
use crate::ids::MemoryId;

/// When the messages of a call are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Soon, by a job.
    #[default]
    Later,
    /// Before the call returns.
    Wait,
    /// Never.
    Skip,
}

/// A turn that was read. Ids and numbers, no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTurn {
    /// The turn.
    pub turn: MemoryId,
    /// The records that were made of it.
    pub made: Vec<MemoryId>,
    /// Records that said the same before, and are more certain now.
    pub merged: Vec<MemoryId>,
    /// Records that hold no longer, as it says something else.
    pub superseded: Vec<MemoryId>,
    /// What yields nothing, and why.
    pub left_out: Vec<LeftOut>,
}

impl ReadTurn {
    /// A turn that yielded nothing so far.
    pub const fn new(turn: MemoryId, left_out: Vec<LeftOut>) -> Self {
        Self { turn, made: Vec::new(), merged: Vec::new(), superseded: Vec::new(), left_out }
    }
}
