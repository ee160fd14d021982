//! Links between memories.

use std::collections::BTreeMap;

use kimberly_proto::v1;

use super::{Short, decimal, right, table};
use crate::{names, text};

/// Maximum length of evidence in a list, in characters.
const SHOWN: usize = 240;

/// Links, one per row.
pub(crate) fn links(list: &[v1::MemoryLink]) -> String {
    let short = Short::of(list.iter().flat_map(|link| [link.from_id.as_str(), link.to_id.as_str()]));
    let mut rows = table(&["from", "relation", "to", "weight", "confidence", "value"]);
    for link in list {
        rows.add_row([
            short.id(&link.from_id).into(),
            names::relation(link.relation).into(),
            short.id(&link.to_id).into(),
            decimal(link.weight()),
            decimal(link.confidence()),
            text::line(&link.evidence, SHOWN).into(),
        ]);
    }
    rows.trim_fmt()
}

/// Memories that contradict each other, two rows each.
pub(crate) fn contradictions(list: &[v1::Contradiction]) -> String {
    let ids = list.iter().flat_map(|one| [&one.from_memory, &one.to_memory]).flatten().map(|memory| memory.id.as_str());
    let short = Short::of(ids);
    let mut rows = table(&["", "id", "memory"]);
    for (side, memory) in list.iter().flat_map(|one| [("from", &one.from_memory), ("to", &one.to_memory)]) {
        let memory = memory.clone().unwrap_or_default();
        rows.add_row([side.to_owned(), short.id(&memory.id).to_owned(), text::line(&memory.content, SHOWN)]);
    }
    rows.trim_fmt()
}

/// The ids of an insight's premises.
pub(crate) fn premises(insight: &v1::Memory) -> &[String] {
    match insight.detail.as_ref().and_then(|detail| detail.kind.as_ref()) {
        Some(v1::detail::Kind::Insight(insight)) => &insight.premises,
        _ => &[],
    }
}

/// Insights, one per row, with their premises below.
pub(crate) fn insights(list: &[v1::Memory], known: &BTreeMap<String, v1::Memory>) -> String {
    let ids = list.iter().flat_map(|insight| premises(insight).iter().chain([&insight.id]));
    let short = Short::of(ids.map(String::as_str));
    let mut rows = table(&["id", "confidence", "value"]);
    for insight in list {
        let confidence = decimal(insight.confidence.unwrap_or_default());
        rows.add_row([short.id(&insight.id).into(), confidence, text::line(&insight.content, SHOWN).into()]);
        for id in premises(insight) {
            let says = known.get(id).map_or("no longer exists", |premise| premise.content.as_str());
            rows.add_row([String::new(), short.id(id).to_owned(), format!("← {}", text::line(says, SHOWN))]);
        }
    }
    rows.trim_fmt()
}

/// The sources of a memory, and the memories derived from it.
pub(crate) fn lineage(answer: &v1::LineageResponse) -> String {
    let all = || answer.steps.iter().filter_map(|step| Some((step, step.link.as_ref()?)));
    let short = Short::of(all().flat_map(|(_, link)| [link.from_id.as_str(), link.to_id.as_str()]));
    let mut rows = table(&["away", "from", "relation", "to", "value"]);
    for (step, link) in all() {
        rows.add_row([
            right(step.depth),
            short.id(&link.from_id).into(),
            names::relation(link.relation).into(),
            short.id(&link.to_id).into(),
            text::line(&link.evidence, SHOWN).into(),
        ]);
    }
    let more = if answer.truncated { "\nand more" } else { "" };
    format!("{}{more}", rows.trim_fmt())
}
