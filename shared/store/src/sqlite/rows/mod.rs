//! Maps domain types to columns, as far as this backend differs.

mod cells;
mod memory;
mod values;

use kimberly_core::error::Result;
use kimberly_core::meditation::{Meditation, RecordedDecision};
use rusqlite::Row;

pub(crate) use crate::codes::{code, from_code, from_name, unsigned};
pub(crate) use crate::rows::{DECISION_COLUMNS, MEDITATION_COLUMNS, ReadRow, push_meditation};
pub(crate) use cells::Cells;
pub(crate) use memory::{MEMORY_SOURCE, memory};

/// Reads a decision from [`DECISION_COLUMNS`].
pub(crate) fn decision(row: &Row<'_>) -> Result<RecordedDecision> {
    crate::rows::decision_from(&mut Cells::new(row))
}

/// Reads a run from [`MEDITATION_COLUMNS`].
pub(crate) fn meditation(row: &Row<'_>) -> Result<Meditation> {
    crate::rows::meditation_from(&mut Cells::new(row))
}
