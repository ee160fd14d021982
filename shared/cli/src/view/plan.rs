//! Meditations: what was or would be done, why, and how many bytes.

use kimberly_proto::v1;

use super::short::arriving_width;
use super::{Short, decided, decimal, right, table, width};
use crate::{names, text, time};

/// Widths of columns of decisions as they arrive: the longest action and the least of a reason.
const ACTION: usize = 11;
const LEAST: usize = 10;

/// Decisions, what is archived or erased first: what, why, bytes.
pub(crate) fn decisions(list: &[v1::Decision]) -> String {
    let leaves = |decision: &&v1::Decision| {
        matches!(decision.action(), v1::DecisionAction::Archive | v1::DecisionAction::Delete)
    };
    let (leaving, others): (Vec<_>, Vec<_>) = list.iter().partition(leaves);
    match (leaving.is_empty(), others.is_empty()) {
        (true, _) => in_order(&others),
        (_, true) => in_order(&leaving),
        _ => format!("{}\n\nother changes\n\n{}", in_order(&leaving), in_order(&others)),
    }
}

fn in_order(list: &[&v1::Decision]) -> String {
    let short = Short::of(list.iter().map(|decision| decision.memory_id.as_str()));
    let mut rows = table(&["", "what", "id", "size", "score", "tier and why"]);
    for decision in list {
        rows.add_row([
            right(decision.position),
            names::action(decision.action).into(),
            subjects(&short, decision).into(),
            right(text::bytes(decision.size_bytes)),
            decimal(decision.score),
            tier_and_why(decision).into(),
        ]);
    }
    rows.trim_fmt()
}

/// Names the columns of [`arriving`].
pub(crate) fn arriving_header() -> String {
    let id = arriving_width();
    format!("{:>6}  {:<ACTION$}  {:<id$}  {:>10}  tier and why", "", "what", "id", "size")
}

/// A decision as it arrives, on one line, in columns whose widths do not depend on the others.
pub(crate) fn arriving(decision: &v1::Decision) -> String {
    let length = arriving_width();
    let id = Short::ending(length).id(&decision.memory_id).to_owned();
    let (action, size) = (names::action(decision.action), text::bytes(decision.size_bytes));
    let line = format!("{:>6}  {action:<ACTION$}  {id:<length$}  {size:>10}  ", decision.position);
    let room = width().saturating_sub(line.chars().count()).max(LEAST);
    line + &text::line(&tier_and_why(decision), room)
}

/// The memory of a decision, or the first of several.
fn subjects(short: &Short, decision: &v1::Decision) -> String {
    let first = short.id(&decision.memory_id);
    match decision.further_ids.len() {
        0 => first.to_owned(),
        more => format!("{first} +{more}"),
    }
}

fn tier_and_why(decision: &v1::Decision) -> String {
    let why = why(decision);
    if decision.tier == 0 { why } else { format!("{}: {why}", names::tier(decision.tier)) }
}

fn why(decision: &v1::Decision) -> String {
    if decision.explanation.is_empty() {
        decided::reason(decision.reason)
    } else {
        text::line(&decision.explanation, 300)
    }
}

/// The content of each tier before and after a run.
pub(crate) fn tiers(run: &v1::Meditation) -> String {
    let mut rows = table(&["tier", "before", "after", "quota", "archived", "erased"]);
    for tier in &run.tiers {
        rows.add_row([
            names::tier(tier.tier).into(),
            right(text::bytes(tier.bytes_before)),
            right(text::bytes(tier.bytes_after)),
            right(text::bytes(tier.quota_bytes)),
            right(tier.archived),
            right(tier.deleted),
        ]);
    }
    rows.trim_fmt()
}

/// A run, in a sentence.
pub(crate) fn run(run: &v1::Meditation) -> String {
    let (done, verb) = if run.dry_run { ("plan", "would be") } else { (run.id.as_str(), "were") };
    let state = if run.dry_run { String::new() } else { format!(" is {}", names::meditation_status(run.status)) };
    let error =
        if run.error.is_empty() { String::new() } else { format!("\nit failed: {}", text::printable(&run.error)) };
    format!(
        "{done}{state}: {} scored; {} ({}) {verb} archived, {} ({}) {verb} erased{error}",
        run.processed,
        run.archived,
        text::bytes(run.archived_bytes),
        run.pruned,
        text::bytes(run.pruned_bytes),
    )
}

/// Runs, one per row.
pub(crate) fn meditations(list: &[v1::Meditation]) -> String {
    let short = Short::of(list.iter().map(|run| run.id.as_str()));
    let mut rows = table(&["id", "when", "status", "scored", "archived", "erased"]);
    for run in list {
        rows.add_row([
            short.id(&run.id).into(),
            time::minute(run.created_at.as_ref()).into(),
            format!("{}\n{}", names::meditation_status(run.status), names::trigger(run.trigger)).into(),
            right(run.processed),
            right(format!("{}\n{}", run.archived, text::bytes(run.archived_bytes))),
            right(format!("{}\n{}", run.pruned, text::bytes(run.pruned_bytes))),
        ]);
    }
    rows.trim_fmt()
}
