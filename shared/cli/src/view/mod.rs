//! Tables for people.

mod explain;
mod memories;
mod plan;

pub(crate) use explain::{recall_parts, score};
pub(crate) use memories::{memories, memory, receipts, results};
pub(crate) use plan::{decisions, meditations, run, tiers};

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};

/// An empty table that fits the terminal; when there is none, lines are as long as they are.
pub(crate) fn table(headers: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    if !headers.is_empty() {
        table.set_header(headers.iter().copied());
    }
    table
}

/// A number, to the right.
pub(crate) fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// A score with three digits.
pub(crate) fn decimal(value: f64) -> Cell {
    right(format!("{value:.3}"))
}
