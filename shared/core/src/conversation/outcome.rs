//! What became of the messages of a call. Kept for replays, so that it holds no text.

use serde::{Deserialize, Serialize};

use crate::ids::MemoryId;
use crate::memory::names;

/// What became of all messages of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// What became of each, in their order.
    pub messages: Vec<ObservedMessage>,
    /// Turns that moved to the archive to make room for these.
    pub archived: u64,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedMessage {
    /// It is a record now.
    Stored {
        /// The record.
        id: MemoryId,
        /// Whether only its first bytes are kept.
        cut: bool,
        /// Whether parts were left out that quote what Kimberly handed out.
        without_quotes: bool,
        /// Whether keys, passwords or numbers of accounts were masked.
        #[serde(default)]
        masked: bool,
    },
    /// It was a record already.
    Duplicate(MemoryId),
    /// It is not kept.
    Skipped(Skipped),
}

/// Why a message is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
    /// It says nothing.
    Empty,
    /// It instructs the assistant, and such messages were not asked for.
    System,
    /// It says only what Kimberly handed out.
    HandedOut,
    /// It stands before messages that are stored, and is not among them: it was erased, or never told.
    Past,
}
names!(Skipped { Empty => "empty", System => "system", HandedOut => "handed_out", Past => "past" });
