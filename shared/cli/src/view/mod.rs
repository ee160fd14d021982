//! Tables for people.

mod audit;
mod changes;
mod decided;
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
mod table;

pub(crate) use audit::{audit_entries, audit_verdict, entries};
pub(crate) use changes::change;
pub(crate) use explain::{score, stages};
pub(crate) use graph::{edges, entities, entity, related};
pub(crate) use history::history;
pub(crate) use links::{contradictions, insights, lineage, links, premises};
pub(crate) use memories::{memories, memory, receipt, results};
pub(crate) use names::{blocks, names, versions};
pub(crate) use plan::{arriving, arriving_header, decisions, meditations, run, tiers};
pub(crate) use records::{candidates, forgotten, playbooks, salience, uncertain, warmth};
pub(crate) use reviews::reviews;
pub(crate) use short::{Short, show_whole};
pub(crate) use table::{table, width};

use comfy_table::{Cell, CellAlignment};

/// A right-aligned number.
pub(crate) fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// A score with three digits.
pub(crate) fn decimal(value: f64) -> Cell {
    right(format!("{value:.3}"))
}
