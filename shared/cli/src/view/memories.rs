//! Memories in tables.

use kimberly_proto::v1;

use super::{decimal, recall_parts, right, table};
use crate::{names, text, time};

/// Longest content shown in a list, in characters.
const SHOWN: usize = 240;

/// A list of memories, one a row.
pub(crate) fn memories(list: &[v1::Memory]) -> String {
    let states = list.iter().any(|memory| memory.state != i32::from(v1::MemoryState::Active));
    let mut headers = vec!["when", "memory", "tier", "score", "size", "id"];
    if states {
        headers.push("state");
    }
    let mut rows = table(&headers);
    for memory in list {
        let mut row = vec![
            time::minute(memory.occurred_at.as_ref()).into(),
            said(memory).into(),
            tier(memory).into(),
            decimal(memory.score),
            right(text::bytes(memory.size_bytes)),
            memory.id.as_str().into(),
        ];
        if states {
            row.push(names::state(memory.state).into());
        }
        rows.add_row(row);
    }
    rows.to_string()
}

/// Recalled memories, best first.
pub(crate) fn results(list: &[v1::QueryResult], explain: bool) -> String {
    let headers: &[&str] =
        if explain { &["", "score", "when", "memory", "id", "why"] } else { &["", "score", "when", "memory", "id"] };
    let mut rows = table(headers);
    for (index, result) in list.iter().enumerate() {
        let memory = result.memory.clone().unwrap_or_default();
        let mut row = vec![
            right(index + 1),
            decimal(result.score),
            time::minute(memory.occurred_at.as_ref()).into(),
            said(&memory).into(),
            memory.id.as_str().into(),
        ];
        if explain {
            row.push(result.explanation.as_ref().map_or_else(String::new, recall_parts).into());
        }
        rows.add_row(row);
    }
    rows.to_string()
}

/// What was written.
pub(crate) fn receipts(list: &[v1::MemoryReceipt]) -> String {
    let lines = list.iter().map(|receipt| {
        let until = receipt.delete_after.as_ref();
        let rest = match until {
            Some(_) => format!("{}, restorable until {}", names::state(receipt.state), time::minute(until)),
            None => format!(
                "{}, {}, score {:.3}",
                names::tier(receipt.tier),
                text::bytes(receipt.size_bytes),
                receipt.score
            ),
        };
        format!("{}  {rest}", receipt.id)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Everything about one memory.
pub(crate) fn memory(memory: &v1::Memory) -> String {
    let metadata = memory.metadata.clone().unwrap_or_default();
    let audit = memory.audit.unwrap_or_default();
    let yes = |flag: bool, text: &str| if flag { text.to_owned() } else { String::new() };
    let flags =
        [yes(memory.protected, "protected"), yes(metadata.sensitive, "sensitive"), yes(audit.consent, "with consent")];
    let facts = [
        ("id", memory.id.clone()),
        ("tier", format!("{} ({})", names::tier(memory.tier), names::state(memory.state))),
        ("speaker", text::printable(&memory.speaker)),
        ("happened", time::minute(memory.occurred_at.as_ref())),
        ("stored", format!("{} ({})", time::minute(memory.created_at.as_ref()), time::ago(memory.created_at.as_ref()))),
        ("last seen", format!("{}, {} times in all", time::ago(memory.last_seen_at.as_ref()), memory.access_count)),
        ("session", text::printable(&memory.session_id)),
        ("tags", text::printable(&metadata.tags.join(", "))),
        ("flags", flags.iter().filter(|flag| !flag.is_empty()).cloned().collect::<Vec<_>>().join(", ")),
        (
            "origin",
            format!(
                "{}, by {}, {}",
                names::source(metadata.source),
                names::creator(audit.created_by),
                names::scope(metadata.scope)
            ),
        ),
        ("size", text::bytes(memory.size_bytes)),
        (
            "erased",
            memory.delete_after.as_ref().map_or_else(String::new, |t| format!("not before {}", time::minute(Some(t)))),
        ),
        (
            "attributes",
            memory
                .attributes
                .as_ref()
                .map_or_else(String::new, |a| text::printable(&crate::json::structs::from_struct(a).to_string())),
        ),
    ];
    let mut rows = table(&[]);
    for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        rows.add_row([name.to_owned(), value]);
    }
    format!("{}\n\n{rows}", text::printable(&memory.content))
}

fn said(memory: &v1::Memory) -> String {
    let content = text::line(&memory.content, SHOWN);
    if memory.speaker.is_empty() { content } else { format!("{}: {content}", text::line(&memory.speaker, 40)) }
}

fn tier(memory: &v1::Memory) -> String {
    let mark = if memory.protected { " (protected)" } else { "" };
    format!("{}{mark}", names::tier(memory.tier))
}
