//! The outcome of reading a turn.

use super::candidate::LeftOut;
use crate::ids::MemoryId;
use crate::memory::names;

/// When the messages of a call are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Soon, in a background job.
    #[default]
    Later,
    /// Before the call returns.
    Wait,
    /// Never.
    Skip,
}
names!(Mode { Later => "unset", Wait => "wait", Skip => "skip" });

/// The readers of a turn: the judge, or the judge and a language model. Names on the wire say "rules".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadBy {
    /// The judge only: no language model is configured, or the turn is not worth asking about.
    #[default]
    Rules,
    /// The judge and a language model.
    Model,
    /// The judge only, since the language model did not answer.
    RulesInstead,
}
names!(ReadBy {
    Rules => "rules",
    Model => "model",
    RulesInstead => "rules_instead",
});

/// The outcome for one turn: ids and numbers, no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTurn {
    /// The turn.
    pub turn: MemoryId,
    /// Records created from it.
    pub made: Vec<MemoryId>,
    /// Existing records with the same statement, whose confidence rose.
    pub merged: Vec<MemoryId>,
    /// Records that no longer hold, since the turn contradicts them.
    pub superseded: Vec<MemoryId>,
    /// Parts that yielded nothing, with reasons.
    pub left_out: Vec<LeftOut>,
    /// The readers of the turn.
    pub by: ReadBy,
}

impl ReadTurn {
    /// An outcome without records so far.
    pub const fn new(turn: MemoryId, left_out: Vec<LeftOut>, by: ReadBy) -> Self {
        Self { turn, made: Vec::new(), merged: Vec::new(), superseded: Vec::new(), left_out, by }
    }
}
