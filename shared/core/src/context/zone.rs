//! How much of a turn is handed out. Words of people and assistants are always shown. Answers of tools are shown less
//! and less, from the newest back: intact, then cut to a glance, then one line.

use super::fence::{inline, shortened};
use crate::memory::{Detail, Memory, Role};

/// The newest answers of tools that stay intact, and the next ones that are cut; older ones become a line.
const INTACT: usize = 2;
const CUT: usize = 6;
/// Most bytes of a cut answer, and of the words in a line.
const CUT_BYTES: usize = 400;
const LINE: usize = 80;
/// An intact answer may take about a sixteenth of the budget, at this many bytes per token, but never more than `MOST`
/// bytes.
const BYTES_PER_TOKEN: usize = 4;
const OF_BUDGET: usize = 16;
const MOST: usize = 16_000;

/// How much of a turn is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// As much as of any turn.
    Intact,
    /// At most this many bytes.
    Cut(usize),
    /// Only that it existed.
    Collapsed,
}

/// Returns the zones of turns, the latest first, within a budget of tokens.
pub fn zones<'t>(turns: impl Iterator<Item = &'t Memory>, budget: usize) -> Vec<Zone> {
    let mut tools = 0;
    let zone = |turn: &'t Memory| {
        if !is_of_tool(turn) {
            return Zone::Intact;
        }
        tools += 1;
        match tools {
            ..=INTACT => Zone::Cut((budget * BYTES_PER_TOKEN / OF_BUDGET).clamp(CUT_BYTES, MOST)),
            _ if tools <= INTACT + CUT => Zone::Cut(CUT_BYTES),
            _ => Zone::Collapsed,
        }
    };
    turns.map(zone).collect()
}

fn is_of_tool(turn: &Memory) -> bool {
    matches!(&turn.draft.detail, Some(Detail::Turn(detail)) if detail.role == Role::Tool)
}

/// Returns one line about a tool's answer: which tool, how many bytes, and how it begins.
pub(super) fn collapsed(turn: &Memory) -> String {
    let content = turn.draft.content.trim();
    let tool = match &turn.draft.detail {
        Some(Detail::Turn(detail)) if !detail.tool.is_empty() => inline(&detail.tool),
        _ => "a tool".to_owned(),
    };
    let begins = shortened(&inline(content), LINE);
    format!("{tool} answered {} bytes: {begins}", content.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Item;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::{MemoryDraft, TurnDetail};
    use crate::time::Timestamp;

    fn turn(role: Role, content: &str) -> Memory {
        let (tool, tool_call_id, sent_digest) = ("search".to_owned(), String::new(), String::new());
        let detail = TurnDetail { role, position: 0, tool, tool_call_id, sent_digest };
        let draft =
            MemoryDraft { content: content.to_owned(), detail: Some(Detail::Turn(detail)), ..MemoryDraft::default() };
        Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft, Timestamp(1))
    }

    #[test]
    fn answers_of_tools_fade_from_the_newest_on_and_nothing_else_does() {
        let mut turns = vec![turn(Role::User, "tea")];
        turns.extend((0..9).map(|_| turn(Role::Tool, "found")));
        turns.push(turn(Role::Assistant, "tea"));
        let (whole, cut) = (Zone::Cut(2_000), Zone::Cut(CUT_BYTES));
        let tools = [whole, whole, cut, cut, cut, cut, cut, cut, Zone::Collapsed];
        assert_eq!(zones(turns.iter(), 8_000), [&[Zone::Intact][..], &tools, &[Zone::Intact]].concat());
        assert_eq!(zones(turns.iter(), 100)[1], cut, "a small budget has no room for more");
    }

    #[test]
    fn a_collapsed_one_is_a_line() {
        let long = turn(Role::Tool, &format!("line\n{}", "found ".repeat(100)));
        let item = Item::turn(&long, 0, Zone::Collapsed);
        assert!(item.text.starts_with("| tool: search answered 604 bytes: line found"), "{}", item.text);
        assert_eq!(item.text.lines().count(), 1);
        assert!(Item::turn(&long, 0, Zone::Cut(CUT_BYTES)).text.len() < 430);
    }
}
