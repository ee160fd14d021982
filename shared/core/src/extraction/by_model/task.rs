//! The question put to a model about a message.

use serde_json::{Value, json};

use super::shown;
use crate::extraction::Said;
use crate::ports::Task;

/// Number of previous messages shown to the model, and most bytes of each.
const BEFORE: usize = 4;
const BEFORE_BYTES: usize = 500;
/// Most bytes of the message itself; an answer can only quote these.
const MESSAGE_BYTES: usize = 8_000;

/// The task of extracting from a message, with secrets masked.
pub(crate) fn task(said: &Said<'_>, before: &[Said<'_>]) -> Task {
    let last = before.get(before.len().saturating_sub(BEFORE)..).unwrap_or_default();
    let context: Vec<Value> = last.iter().map(|said| message(said, BEFORE_BYTES)).collect();
    let data = json!({"before": context, "message": message(said, MESSAGE_BYTES)});
    Task {
        name: "extract",
        instructions: include_str!("instructions.txt"),
        data: data.to_string(),
        schema: include_str!("schema.json"),
        is_awaited: false,
    }
}

fn message(said: &Said<'_>, most: usize) -> Value {
    let time = said.at.and_then(|at| jiff::Timestamp::from_microsecond(at.0).ok()).map(|at| at.to_string());
    json!({"speaker": speaker(said), "text": shown(said.content, most), "time": time})
}

/// The speaker's name, or their role.
pub(super) fn speaker<'s>(said: &Said<'s>) -> &'s str {
    if said.name.is_empty() { said.role.name() } else { said.name }
}
