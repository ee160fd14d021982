//! Tables for people.

mod audit;
mod explain;
mod graph;
mod history;
mod links;
mod memories;
mod names;
mod plan;
mod records;
mod reviews;
mod short;

pub(crate) use audit::{audit_entries, audit_verdict, entries};
pub(crate) use explain::{score, stages};
pub(crate) use graph::{edges, entities, entity, related};
pub(crate) use history::history;
pub(crate) use links::{contradictions, insights, lineage, links, premises};
pub(crate) use memories::{memories, memory, receipt, results};
pub(crate) use names::{blocks, names, versions};
pub(crate) use plan::{decisions, meditations, run, tiers};
pub(crate) use records::{candidates, forgotten, playbooks, salience, uncertain, warmth};
pub(crate) use reviews::reviews;
pub(crate) use short::{Short, show_whole};

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width};

/// Only a line under the header.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─'));
/// Width without a terminal and without the variable COLUMNS, in characters.
const WIDTH: u16 = 120;
/// Minimum width with complete ids.
const WIDE: u16 = 200;
/// Columns of words, which are wrapped. All others (ids, times, numbers, states) are as wide as their content.
const WORDS: [&str; 18] = [
    "also",
    "as",
    "both",
    "for",
    "goal",
    "made",
    "may",
    "memory",
    "metric since the api process started",
    "name",
    "problem",
    "purpose, and about what",
    "tags",
    "tier and why",
    "type",
    "value",
    "what was done",
    "who",
];
/// Minimum width of a column of words, so that words stay readable in a narrow terminal.
const LEAST: u16 = 8;

/// An empty table that fits the terminal.
pub(crate) fn table(headers: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok()).unwrap_or(WIDTH));
    }
    if short::is_wide() {
        let terminal = table.width().unwrap_or(WIDE);
        table.set_width(terminal.max(WIDE));
    }
    if !headers.is_empty() {
        table.set_header(headers.iter().copied());
        let words = ColumnConstraint::LowerBoundary(Width::Fixed(LEAST));
        let constraint = |header| if WORDS.contains(header) { words } else { ColumnConstraint::ContentWidth };
        table.set_constraints(headers.iter().map(constraint));
    }
    table
}

/// A right-aligned number.
pub(crate) fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// A score with three digits.
pub(crate) fn decimal(value: f64) -> Cell {
    right(format!("{value:.3}"))
}
