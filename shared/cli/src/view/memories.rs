//! Memories in tables.

use kimberly_proto::v1;

use super::short::is_wide;
use super::{Short, decimal, records, right, table};
use crate::{names, text, time};

/// Maximum length of a content in a list, in characters.
const SHOWN: usize = 240;

/// Memories, one per row.
pub(crate) fn memories(list: &[v1::Memory]) -> String {
    let short = Short::of(list.iter().map(|memory| memory.id.as_str()));
    let mut rows = table(&["id", "when", "memory", "tier", "score"]);
    for memory in list {
        rows.add_row([
            short.id(&memory.id).into(),
            time::minute(memory.occurred_at.as_ref()).into(),
            format!("{}{}{}", said(memory), records::line(memory), tags(memory)).into(),
            tier(memory).into(),
            decimal(memory.score),
        ]);
    }
    rows.trim_fmt()
}

/// The memory's tags on a separate line, automatic ones last; only in wide tables.
fn tags(memory: &v1::Memory) -> String {
    let own = memory.metadata.as_ref().map(|metadata| metadata.tags.as_slice()).unwrap_or_default();
    let given = memory.auto_tags.iter().filter(|tag| !own.contains(tag));
    let all: Vec<&str> = own.iter().chain(given).map(String::as_str).collect();
    if all.is_empty() || !is_wide() { String::new() } else { format!("\n#{}", text::line(&all.join(" #"), SHOWN)) }
}

/// Recalled memories, best first.
pub(crate) fn results(list: &[v1::QueryResult]) -> String {
    let ids = list.iter().filter_map(|result| Some(result.memory.as_ref()?.id.as_str()));
    let short = Short::of(ids);
    let mut rows = table(&["", "id", "score", "relevance", "when", "memory"]);
    for (index, result) in list.iter().enumerate() {
        let memory = result.memory.clone().unwrap_or_default();
        let ended =
            result.ended_at.as_ref().map(|at| format!("\nended {}", time::minute(Some(at)))).unwrap_or_default();
        let why = result.explanation.as_ref().map(found_by).unwrap_or_default();
        rows.add_row([
            right(index + 1),
            short.id(&memory.id).into(),
            decimal(result.score),
            decimal(result.relevance),
            time::minute(memory.occurred_at.as_ref()).into(),
            format!("{}{}{ended}{why}", said_best(&memory, result), records::line(&memory)).into(),
        ]);
    }
    rows.trim_fmt()
}

/// The stages that found it, and the cosine of its vector, on a separate line.
fn found_by(parts: &v1::RecallExplanation) -> String {
    let cosine = parts.cosine.map(|cosine| format!(", cosine {cosine:.3}")).unwrap_or_default();
    format!("\nfound by {}{cosine}", text::line(&parts.found_by.join(", "), 80))
}

/// Formats the receipt of a write.
pub(crate) fn receipt(receipt: Option<&v1::MemoryReceipt>) -> String {
    let receipt = receipt.cloned().unwrap_or_default();
    let until = receipt.delete_after.as_ref();
    let rest = if until.is_some() {
        format!("{}, restorable until {}", names::state(receipt.state), time::minute(until))
    } else {
        let (tier, size) = (names::tier(receipt.tier), text::bytes(receipt.size_bytes));
        format!("{tier}, {size}, score {:.3}", receipt.score)
    };
    let masked = if receipt.masked { ", with secrets, which were masked" } else { "" };
    let existing = if receipt.existing { ", already known, confirmed" } else { "" };
    format!("{}  {rest}{existing}{masked}", receipt.id)
}

/// Everything about one memory.
pub(crate) fn memory(memory: &v1::Memory) -> String {
    let mut rows = table(&[]);
    for (name, value) in facts(memory).into_iter().chain(records::facts(memory)).chain(provenance(memory)) {
        if value.is_empty() {
            continue;
        }
        rows.add_row([name.to_owned(), text::printable(&value)]);
    }
    format!("{}\n\n{}", text::printable(&memory.content), rows.trim_fmt())
}

/// Its tier, state and times; unset values are empty.
fn facts(memory: &v1::Memory) -> [(&'static str, String); 8] {
    let stored = memory.created_at.as_ref();
    let seen = time::ago(memory.last_seen_at.as_ref());
    let until = memory.delete_after.as_ref().map(|until| format!("not before {}", time::minute(Some(until))));
    [
        ("id", memory.id.clone()),
        ("tier", format!("{} ({})", names::tier(memory.tier), names::state(memory.state))),
        ("speaker", memory.speaker.clone()),
        ("happened", time::minute(memory.occurred_at.as_ref())),
        ("stored", format!("{} ({})", time::minute(stored), time::ago(stored))),
        ("last seen", format!("{seen}; recalled or read {}", text::count(memory.access_count, "time", "times"))),
        ("size", text::bytes(memory.size_bytes)),
        ("erased", until.unwrap_or_default()),
    ]
}

/// Its origin, tags and flags; unset values are empty.
fn provenance(memory: &v1::Memory) -> [(&'static str, String); 8] {
    let metadata = memory.metadata.clone().unwrap_or_default();
    let audit = memory.audit.unwrap_or_default();
    let flags = [
        (memory.protected, "protected"),
        (metadata.sensitive, "sensitive"),
        (audit.consent, "with consent"),
        (memory.embed() == v1::EmbedMark::Always, "always embedded"),
        (memory.embed() == v1::EmbedMark::Never, "never embedded"),
    ];
    let flags: Vec<&str> = flags.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect();
    let (source, scope) = (names::source(metadata.source), names::scope(metadata.scope));
    let attributes = memory.attributes.as_ref().map(|data| kimberly_transcode::text(&crate::json::of_free(data)));
    [
        ("namespace", memory.namespace.clone()),
        ("session", memory.session_id.clone()),
        ("consent", memory.consent_id.clone()),
        ("tags", metadata.tags.join(", ")),
        ("auto tags", memory.auto_tags.join(", ")),
        ("flags", flags.join(", ")),
        ("origin", format!("{source}, by {}, {scope}", names::creator(audit.created_by))),
        ("attributes", attributes.unwrap_or_default()),
    ]
}

/// The content with its speaker.
fn said(memory: &v1::Memory) -> String {
    with_speaker(memory, &text::line(&memory.content, SHOWN))
}

/// Like [`said`], with the best passage of a document or a long text instead of its beginning.
fn said_best(memory: &v1::Memory, result: &v1::QueryResult) -> String {
    if let Some(best) = result.passages.first() {
        let title = text::line(memory.content.lines().next().unwrap_or_default(), 60);
        return format!("{title}, passage {}: {}", best.position, text::line(&best.text, SHOWN));
    }
    let best = result.highlights.first().and_then(|best| passage(&memory.content, *best));
    best.map_or_else(|| said(memory), |passage| with_speaker(memory, &passage))
}

fn passage(content: &str, highlight: v1::Highlight) -> Option<String> {
    let (start, end) = (usize::try_from(highlight.start).ok()?, usize::try_from(highlight.end).ok()?);
    let passage = text::line(content.get(start..end)?, SHOWN);
    let (before, after) = (if start > 0 { "… " } else { "" }, if end < content.len() { " …" } else { "" });
    Some(format!("{before}{passage}{after}"))
}

fn with_speaker(memory: &v1::Memory, said: &str) -> String {
    let speaker = text::line(&memory.speaker, 40);
    let colon = if speaker.is_empty() { "" } else { ": " };
    format!("{speaker}{colon}{said}")
}

/// The tier, with an unusual state on separate lines.
fn tier(memory: &v1::Memory) -> String {
    let mut text = names::tier(memory.tier);
    if memory.state != i32::from(v1::MemoryState::Active) {
        text = format!("{text}\n{}", names::state(memory.state));
    }
    if memory.protected { format!("{text}\nprotected") } else { text }
}
