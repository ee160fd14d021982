//! Names of memories in tables.

use kimberly_core::core_memory::label_of;
use kimberly_proto::v1;

use super::{Short, right, table};
use crate::{names, text, time};

/// Names, one per row.
pub(crate) fn names(list: &[v1::NamedRecord]) -> String {
    let short = Short::of(list.iter().map(|one| one.id.as_str()));
    let mut rows = table(&["id", "name", "size", "written", "tier"]);
    for one in list {
        let sensitive = if one.sensitive { ", sensitive" } else { "" };
        rows.add_row([
            short.id(&one.id).into(),
            text::printable(&one.name).into(),
            right(text::bytes(one.content_bytes)),
            time::minute(one.updated_at.as_ref()).into(),
            format!("{}{sensitive}", names::tier(one.tier)).into(),
        ]);
    }
    rows.trim_fmt()
}

/// Core memory blocks, one per row.
pub(crate) fn blocks(list: &[v1::Memory]) -> String {
    let mut rows = table(&["label", "memory", "size", "for"]);
    for block in list {
        let (description, read_only) = match block.detail.as_ref().and_then(|detail| detail.kind.as_ref()) {
            Some(v1::detail::Kind::Block(detail)) => (detail.description.as_str(), detail.read_only),
            _ => ("", false),
        };
        let suffix = if read_only { " (read-only)" } else { "" };
        rows.add_row([
            format!("{}{suffix}", label_of(&block.name).unwrap_or(&block.name)).into(),
            text::line(&block.content, 240).into(),
            right(text::bytes(i64::try_from(block.content.len()).unwrap_or(i64::MAX))),
            text::printable(description).into(),
        ]);
    }
    rows.trim_fmt()
}

/// Versions of a memory, one per row.
pub(crate) fn versions(list: &[v1::RecordVersion]) -> String {
    let mut rows = table(&["version", "changed", "size", "by", "what was done", "for"]);
    for one in list {
        let size = if one.redacted_at.is_some() { "redacted".to_owned() } else { text::bytes(one.bytes) };
        rows.add_row([
            one.version.to_string().into(),
            time::minute(one.changed_at.as_ref()).into(),
            right(size),
            text::printable(&one.author).into(),
            text::printable(&one.action).into(),
            text::printable(&one.reason).into(),
        ]);
    }
    rows.trim_fmt()
}
