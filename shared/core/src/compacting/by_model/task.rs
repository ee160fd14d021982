//! What a model is asked about turns.

use serde_json::{Value, json};

use crate::compacting::Spoken;
use crate::extraction::mask;
use crate::ports::Task;

/// The most of a turn that the model sees, and of all of them, in bytes.
const TURN_BYTES: usize = 2_000;
const ALL_BYTES: usize = 32_000;

/// The task of summing up turns, in so many bytes. Secrets are masked.
pub(crate) fn task(said: &[Spoken<'_>], room: usize) -> Task {
    let each = (ALL_BYTES / said.len().max(1)).min(TURN_BYTES);
    let turns: Vec<Value> = said.iter().enumerate().map(|(turn, one)| shown(turn, one, each)).collect();
    Task {
        name: "summarize",
        instructions: include_str!("instructions.txt"),
        data: json!({"bytes": room, "turns": turns}).to_string(),
        schema: include_str!("schema.json"),
        is_awaited: false,
    }
}

fn shown(turn: usize, said: &Spoken<'_>, most: usize) -> Value {
    let text = mask(said.text);
    let text = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    json!({"turn": turn, "speaker": said.who, "text": text})
}
