//! What a message of a conversation may hold in JSON beyond the contract: see `kimberly_core::conversation::Received`.

use kimberly_core::bounds as b;
use serde_json::{Value, json};

use super::patterns;

/// Roles that are known besides the contract's names.
const ROLES: [&str; 9] = ["user", "assistant", "tool", "system", "developer", "human", "ai", "model", "function"];

/// Returns the schemas of members that take more than the contract's.
pub(super) fn members() -> Value {
    let contract = ["ROLE_USER", "ROLE_ASSISTANT", "ROLE_SYSTEM", "ROLE_TOOL"];
    let roles: Vec<&str> = ROLES.into_iter().chain(contract).collect();
    // Without a type: values of other types are ignored, or written as texts.
    let name = |most: usize| json!({"maxLength": most, "pattern": patterns::name()});
    json!({
        "role": {"anyOf": [{"enum": roles}, {"type": "integer", "minimum": 1, "maximum": 4}]},
        "content": {"description": "What was said: a text, a list of blocks with texts, or null."},
        "id": name(b::MAX_MESSAGE_ID_BYTES),
        "name": name(b::MAX_SPEAKER_BYTES),
        "tool": name(b::MAX_TOOL_BYTES),
        "toolCallId": name(b::MAX_TOOL_BYTES),
        "unreadable": {},
    })
}
