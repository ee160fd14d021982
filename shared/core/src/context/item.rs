//! An item of a context: a record or a goal, its rendered text, and the reason for it.

use uuid::Uuid;

use super::fence::{inline, quoted, shortened};
use super::{Part, Zone, zone};
use crate::goals::Goal;
use crate::ids::{MemoryId, Seq};
use crate::memory::{Detail, Memory, RecordKind, Role};
use crate::time::Timestamp;

/// Most bytes of a content that are handed out, by part.
const CORE: usize = 16_000;
const WISH: usize = 500;
const GOAL: usize = 400;
const RECALLED: usize = 2_000;
/// Most bytes of each passage of a document.
const PASSAGE: usize = 1_200;
const TURN: usize = 2_000;
const SNAPSHOT: usize = 4_000;

/// The reason for handing out an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// It is core memory.
    Core,
    /// It is a preference.
    Preference,
    /// Its wording tells the assistant what to do from now on.
    StandingWish,
    /// It is an active goal.
    ActiveGoal,
    /// It is relevant to the query.
    Relevant,
    /// It is one of the last turns.
    LastTurn,
    /// It is a summary of turns before the last ones.
    Snapshot,
    /// It is less relevant to the query, or just new, and fills the budget.
    Perhaps,
}
crate::memory::names!(Why {
    Core => "core",
    Preference => "preference",
    StandingWish => "standing_wish",
    ActiveGoal => "active_goal",
    Relevant => "relevant",
    LastTurn => "last_turn",
    Snapshot => "snapshot",
    Perhaps => "perhaps",
});

impl Why {
    /// Returns the heading before the first item of this reason within its part; empty for none.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Perhaps => "### Perhaps: may have nothing to do with it\n",
            _ => "",
        }
    }
}

/// An item that may be handed out.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The part it belongs to.
    pub part: Part,
    /// Its id.
    pub id: String,
    /// The same id as a plain UUID, without its kind.
    pub source: Uuid,
    /// The record's sequence number; `None` for a goal.
    pub seq: Option<Seq>,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The reason for handing it out.
    pub why: Why,
    /// Its relevance to the query, in [0, 1]; 0 if there was no query.
    pub relevance: f64,
    /// Its sort key within its part, the smallest first.
    pub position: i64,
    /// The rendered text, fenced.
    pub text: String,
    /// Its own words, by which it is recognized when it comes back.
    pub words: String,
}

impl Item {
    /// Returns the id of the record; `None` for a goal.
    pub fn memory(&self) -> Option<MemoryId> {
        self.seq.map(|_| MemoryId(self.source))
    }

    /// Creates an item from a record of core memory, with the name it is stored under.
    pub fn core(memory: &Memory, name: &str, position: i64) -> Self {
        let head = format!("- {}\n", inline(name));
        Self::of(memory, (Part::Core, Why::Core), position, (head, "", CORE))
    }

    /// Creates an item from a preference or a standing wish.
    pub fn wish(memory: &Memory) -> Self {
        let why = if memory.draft.kind == RecordKind::Preference { Why::Preference } else { Why::StandingWish };
        let head = format!("- {}\n", facts(memory));
        Self::of(memory, (Part::Wishes, why), memory.seq.0, (head, "", WISH))
    }

    /// Creates an item from a recalled record, the best at position 0; a document is rendered by its best passages.
    pub fn recalled(memory: &Memory, passages: &[&str], (why, relevance): (Why, f64), position: i64) -> Self {
        let (head, of) = (format!("- {}\n", facts(memory)), (Part::Recalled, why));
        let item = match &memory.draft.detail {
            Some(Detail::Document(document)) if !passages.is_empty() => {
                let texts = passages.iter().map(|passage| shortened(passage, PASSAGE));
                let words = std::iter::once(document.title.clone()).chain(texts).collect::<Vec<_>>().join("\n[…]\n");
                Self::said(memory, of, position, (head, speaker(memory), words))
            }
            _ => Self::of(memory, of, position, (head, speaker(memory), RECALLED)),
        };
        Self { relevance, ..item }
    }

    /// Creates an item from a summary of turns of the session, at the position of the first of them.
    pub fn snapshot(memory: &Memory, position: i64) -> Self {
        let head = format!("- {}\n", facts(memory));
        Self::of(memory, (Part::Snapshots, Why::Snapshot), position, (head, "", SNAPSHOT))
    }

    /// Creates an item from one of the last turns; an answer of a tool is shortened as its zone says.
    pub fn turn(memory: &Memory, position: i64, zone: Zone) -> Self {
        let role = match &memory.draft.detail {
            Some(Detail::Turn(turn)) => turn.role,
            _ => Role::User,
        };
        let who = match speaker(memory) {
            "" => role.name(),
            named => named,
        };
        let of = (Part::Turns, Why::LastTurn);
        match zone {
            Zone::Intact => Self::of(memory, of, position, (String::new(), who, TURN)),
            Zone::Cut(most) => Self::of(memory, of, position, (String::new(), who, most)),
            Zone::Collapsed => Self::said(memory, of, position, (String::new(), who, zone::collapsed(memory))),
        }
    }

    /// Creates an item from a goal.
    pub fn goal(goal: &Goal, position: i64) -> Self {
        let mut words = goal.draft.title.clone();
        if !goal.draft.description.is_empty() {
            words = format!("{words}\n{}", shortened(&goal.draft.description, GOAL));
        }
        Self {
            part: Part::Goals,
            id: goal.id.to_string(),
            source: goal.id.0,
            seq: None,
            kind: RecordKind::Unset,
            why: Why::ActiveGoal,
            relevance: 0.0,
            position,
            text: format!("- {}\n{}", goal.draft.kind.name(), quoted(&words)),
            words,
        }
    }

    fn of(memory: &Memory, (part, why): (Part, Why), position: i64, (head, who, most): (String, &str, usize)) -> Self {
        Self::said(memory, (part, why), position, (head, who, shortened(&memory.draft.content, most)))
    }

    fn said(
        memory: &Memory,
        (part, why): (Part, Why),
        position: i64,
        (head, who, words): (String, &str, String),
    ) -> Self {
        let said = if who.is_empty() { quoted(&words) } else { quoted(&format!("{}: {words}", inline(who))) };
        Self {
            part,
            id: memory.id.to_string(),
            source: memory.id.0,
            seq: Some(memory.seq),
            kind: memory.draft.kind,
            why,
            relevance: 0.0,
            position,
            text: format!("{head}{said}"),
            words,
        }
    }
}

/// Returns date and kind, which are no stored text. Answers list the ids beside the text.
fn facts(memory: &Memory) -> String {
    let day = day(memory.occurred_at());
    match memory.draft.kind {
        RecordKind::Unset => day,
        kind => format!("{day} {}", kind.name()),
    }
}

fn speaker(memory: &Memory) -> &str {
    memory.draft.speaker.as_deref().unwrap_or("")
}

/// Returns the day of a time, in UTC.
pub fn day(at: Timestamp) -> String {
    at.utc_date().unwrap_or_default().to_string()
}
