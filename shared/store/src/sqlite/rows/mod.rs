//! How the domain's types lie in columns.

mod cells;
mod decision;
mod meditation;
mod memory;

pub(crate) use crate::codes::{code, from_code, from_name, state_code, unsigned};
pub(crate) use cells::Cells;
pub(crate) use decision::{DECISION_COLUMNS, decision};
pub(crate) use meditation::{MEDITATION_COLUMNS, meditation, meditation_args};
pub(crate) use memory::{
    MEMORY_COLUMNS, MEMORY_SOURCE, Texts, feedback_from_code, labels, memory, memory_from, opened, push_memory_values,
    traits,
};
