//! The detail of a turn in a conversation.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::MAX_TOOL_BYTES;
use crate::memory::names;

/// The role of a speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The assistant.
    Assistant,
    /// The system or the developer.
    System,
    /// A tool.
    Tool,
}
names!(Role { User => "user", Assistant => "assistant", System => "system", Tool => "tool" });

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnDetail {
    /// Role of the speaker.
    pub role: Role,
    /// Position in the conversation.
    pub position: i64,
    /// The tool called or answering; empty if none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The id of the tool call; empty if none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool_call_id: String,
    /// Digest of the message as sent, if only a part of it is kept; empty if it is kept in full.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sent_digest: String,
}

impl Form for TurnDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.count("position", self.position);
        check.optional_name("tool", &mut self.tool, MAX_TOOL_BYTES);
        check.optional_name("tool_call_id", &mut self.tool_call_id, MAX_TOOL_BYTES);
        check.optional_name("sent_digest", &mut self.sent_digest, MAX_TOOL_BYTES);
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.tool]
    }
}
