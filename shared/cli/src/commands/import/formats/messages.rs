//! Messages as APIs of language models take them: `{"role", "content"}`, in a list, on lines, or in `{"messages": [...]}`.

use kimberly_core::conversation::words;
use serde_json::Value;

use super::{Drafted, said, time};
use crate::commands::import::fields::Fields;

/// Roles whose messages are remembered.
const SPEAKERS: [&str; 4] = ["user", "assistant", "human", "ai"];
/// Roles of instructions and of program output, whose messages are skipped.
const OTHERS: [&str; 4] = ["system", "developer", "tool", "function"];

/// The memories of a message or of a conversation. Messages outside conversations form one conversation together.
pub(super) fn value(value: &Value, session: &str, number: u64) -> Result<Vec<Drafted>, String> {
    match value.get("messages") {
        None => message(value, session).map(|drafted| vec![drafted]),
        Some(messages) => {
            let messages = messages.as_array().ok_or("`messages` is not a list")?;
            let session = format!("{session}-{number}");
            let numbered = (1..).zip(messages);
            numbered
                .map(|(n, one): (u64, _)| message(one, &session).map_err(|wrong| format!("message {n}: {wrong}")))
                .collect()
        }
    }
}

fn message(value: &Value, session: &str) -> Result<Drafted, String> {
    let fields = Fields::new(value.as_object().ok_or("not a message with a role and a content")?);
    let role = fields.text("role")?;
    let Some(content) = fields.get("content") else {
        return if role.is_empty() { Err("it has no role and no content".to_owned()) } else { Ok(Drafted::LeftOut) };
    };
    let content = text_of(content);
    if OTHERS.contains(&role.as_str()) || content.is_empty() {
        return Ok(Drafted::LeftOut);
    }
    if !SPEAKERS.contains(&role.as_str()) {
        return Err(format!("there is no role {role:?}; it is one of {}, {}", SPEAKERS.join(", "), OTHERS.join(", ")));
    }
    let name = fields.text("name")?;
    let mut draft = said(content, session, if name.is_empty() { &role } else { &name });
    for key in ["created_at", "timestamp", "create_time"] {
        draft.occurred_at = draft.occurred_at.or(time(&fields, key)?);
    }
    Ok(Drafted::draft(draft))
}

/// The text of a content: a string, or the texts of its parts.
pub(crate) fn text_of(content: &Value) -> String {
    words(content).trim().to_owned()
}
