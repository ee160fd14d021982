//! The outcome of a call with messages. Stored for replay, so it holds no text.

use serde::{Deserialize, Serialize};

use crate::ids::MemoryId;
use crate::memory::names;

/// The outcome of all messages of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// The outcome of each message, in order.
    pub messages: Vec<ObservedMessage>,
    /// Turns that moved to the archive to make room for these.
    pub archived: u64,
    /// Why messages are invalid, by index. Found again for a replay, since what is stored holds no text.
    #[serde(skip)]
    pub problems: Vec<(usize, String)>,
}

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservedMessage {
    /// It was stored as a record.
    Stored {
        /// The record.
        id: MemoryId,
        /// Whether only its first bytes are stored.
        cut: bool,
        /// Whether parts were removed that quote what Kimberly handed out.
        without_quotes: bool,
        /// Whether keys, passwords or account numbers were masked.
        #[serde(default)]
        masked: bool,
        /// Whether statements that were forgotten were left out.
        #[serde(default)]
        without_forgotten: bool,
    },
    /// It was stored already.
    Duplicate(MemoryId),
    /// It is not stored.
    Skipped(Skipped),
}

/// Why a message is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
    /// It says nothing.
    Empty,
    /// It instructs the assistant, and the caller did not request such messages.
    System,
    /// It holds only what Kimberly handed out.
    HandedOut,
    /// It precedes stored messages, but is not one of them: it was erased, or never sent.
    Past,
    /// It is out of bounds, or cannot be read.
    Invalid,
    /// All that it says was forgotten.
    Forgotten,
}
names!(Skipped {
    Empty => "empty",
    System => "system",
    HandedOut => "handed_out",
    Past => "past",
    Invalid => "invalid",
    Forgotten => "forgotten",
});
