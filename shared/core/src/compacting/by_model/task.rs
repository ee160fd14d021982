//! What a model is asked about turns.

use serde_json::{Value, json};

use crate::compacting::Spoken;
use crate::extraction::by_model;
use crate::ports::Task;

/// The most of a turn that the model sees, and of all of them, in bytes.
const TURN_BYTES: usize = 2_000;
const ALL_BYTES: usize = 32_000;

/// The task of summing up turns, in so many bytes. Secrets are masked.
pub(crate) fn task(said: &[Spoken<'_>], room: usize) -> Task {
    let each = (ALL_BYTES / said.len().max(1)).min(TURN_BYTES);
    let shown = |(turn, one): (usize, &Spoken<'_>)| json!({"turn": turn, "speaker": one.who, "text": by_model::shown(one.text, each)});
    let turns: Vec<Value> = said.iter().enumerate().map(shown).collect();
    Task {
        name: "summarize",
        instructions: include_str!("instructions.txt"),
        data: json!({"bytes": room, "turns": turns}).to_string(),
        schema: include_str!("schema.json"),
        is_awaited: false,
    }
}
