//! The task of summing up turns, for a model.

use serde_json::{Value, json};

use crate::compacting::Spoken;
use crate::extraction::by_model;
use crate::ports::Task;

/// The most of a turn, and of all turns, shown to the model, in bytes.
const TURN_BYTES: usize = 2_000;
const ALL_BYTES: usize = 32_000;

/// Returns the task of summing up turns in `room` bytes. Secrets are masked.
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
