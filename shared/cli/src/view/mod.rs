//! Tables for people.

mod audit;
mod explain;
mod memories;
mod plan;

pub(crate) use audit::{audit_entries, audit_verdict, entries};
pub(crate) use explain::{recall_parts, score};
pub(crate) use memories::{memories, memory, receipts, results};
pub(crate) use plan::{decisions, meditations, run, tiers};

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

/// A line under the header and nothing else.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));
/// Width where there is no terminal, in characters.
const WIDTH: u16 = 120;

/// An empty table that fits the terminal.
pub(crate) fn table(headers: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
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
