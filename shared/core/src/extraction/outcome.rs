//! What reading a turn came to.

use super::candidate::LeftOut;
use crate::ids::MemoryId;
use crate::memory::names;

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
names!(Mode { Later => "unset", Wait => "wait", Skip => "skip" });

/// What read a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadBy {
    /// Rules: no language model is configured, or the turn is none that it is asked about.
    #[default]
    Rules,
    /// Rules and a language model.
    Model,
    /// Rules alone, as the language model did not answer.
    RulesInstead,
}
names!(ReadBy {
    Rules => "rules",
    Model => "model",
    RulesInstead => "rules_instead",
});

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
    /// What read it.
    pub by: ReadBy,
}

impl ReadTurn {
    /// A turn that yielded nothing so far.
    pub const fn new(turn: MemoryId, left_out: Vec<LeftOut>, by: ReadBy) -> Self {
        Self { turn, made: Vec::new(), merged: Vec::new(), superseded: Vec::new(), left_out, by }
    }
}
