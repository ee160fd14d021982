//! Meditations: what was or would be done, why, and how many bytes.

use kimberly_proto::v1;

use super::{Short, decimal, right, table};
use crate::{names, text, time};

/// Decisions in order: what, why, bytes.
pub(crate) fn decisions(list: &[v1::Decision]) -> String {
    let short = Short::of(list.iter().map(|decision| decision.memory_id.as_str()));
    let mut rows = table(&["", "what", "id", "size", "score", "tier and why"]);
    for decision in list {
        rows.add_row([
            right(decision.position),
            names::action(decision.action).into(),
            subjects(&short, decision).into(),
            right(text::bytes(decision.size_bytes)),
            decimal(decision.score),
            if decision.tier == 0 {
                why(decision)
            } else {
                format!("{}: {}", names::tier(decision.tier), why(decision))
            }
            .into(),
        ]);
    }
    rows.trim_fmt()
}

/// The memory of a decision, or the first of several.
fn subjects(short: &Short, decision: &v1::Decision) -> String {
    let first = short.id(&decision.memory_id);
    match decision.further_ids.len() {
        0 => first.to_owned(),
        more => format!("{first} +{more}"),
    }
}

fn why(decision: &v1::Decision) -> String {
    if decision.explanation.is_empty() {
        names::reason(decision.reason).replace('_', " ")
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
