//! Changes of memories, one line each as they arrive.

use kimberly_proto::v1;

use super::short::arriving_width;
use super::{Short, decided, width};
use crate::{names, text, time};

/// Width of the longest kind of change.
const KIND: usize = 8;
/// Least width of the content.
const LEAST: usize = 20;

/// A change on one line, in columns whose widths do not depend on the others.
pub(crate) fn change(change: &v1::MemoryChange) -> String {
    let length = arriving_width();
    let (at, kind) = (time::minute(change.changed_at.as_ref()), names::change_kind(change.kind));
    let line = format!("{at:<16}  {kind:<KIND$}  {:<length$}  ", Short::ending(length).id(&change.memory_id));
    let why = if change.reason == 0 { String::new() } else { format!("({}) ", decided::reason(change.reason)) };
    let content = change.memory.as_ref().map_or("", |memory| memory.content.as_str());
    let room = width().saturating_sub(line.chars().count()).max(LEAST);
    (line + &text::line(&(why + content), room)).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_lines_with_columns_that_do_not_depend_on_what_happened() {
        let memory = v1::Memory { content: "sail\naway".into(), ..v1::Memory::default() };
        let archived = v1::MemoryChange {
            kind: v1::ChangeKind::Archived.into(),
            memory_id: "mem_0190f1f0-0000-7000-8000-00000a123456".into(),
            changed_at: Some(prost_types::Timestamp { seconds: 0, nanos: 7_000 }),
            reason: v1::DecisionReason::OverQuota.into(),
            memory: Some(memory),
            ..v1::MemoryChange::default()
        };
        assert_eq!(change(&archived), "1970-01-01 00:00  archived  0a123456  (over quota) sail away");
        let erased = v1::MemoryChange { kind: v1::ChangeKind::Erased.into(), reason: 0, memory: None, ..archived };
        assert_eq!(change(&erased), "1970-01-01 00:00  erased    0a123456");
    }
}
