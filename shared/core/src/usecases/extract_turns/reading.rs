//! Reads the next unread turns, each with the turns before it, and has them judged.

use crate::error::Result;
use crate::extraction::{BEFORE, Extraction, Options, ReadBy, Said, UnreadTurn, extract};
use crate::ids::MemoryId;
use crate::memory::{Detail, ListOrder, Memory, MemoryFilter, MemoryState, RecordKind};
use crate::ports::{ListKey, VaultReader};
use crate::tables::{Condition, TableRow as _, find};
use crate::time::Timestamp;

/// Most bytes read of the turns before one.
const BEFORE_BYTES: usize = 256 * 1024;

/// An unread turn, and the turns before it, newest last.
pub(super) struct Unread {
    pub(super) turn: Memory,
    pub(super) before: Vec<Memory>,
}

/// A turn that was read.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) turn: Memory,
    pub(super) found: Extraction,
    pub(super) by: ReadBy,
}

/// Returns the next turns that are due, or the unread ones of `only` if it names any; at most `most`.
pub(super) async fn read_next(
    reader: &mut dyn VaultReader,
    only: &[MemoryId],
    now: Timestamp,
    most: usize,
) -> Result<Vec<Unread>> {
    let query = UnreadTurn::query().at_most(most);
    let query = if only.is_empty() {
        query.that(Condition::Before("due_at", Timestamp(now.0.saturating_add(1)).into()))
    } else {
        query.among(&["turn_id"], only.iter().copied())
    };
    let mut unread = Vec::new();
    for row in find::<UnreadTurn>(reader, &query).await? {
        if let Some(turn) = reader.memory(row.turn).await? {
            let before = before(reader, &turn).await?;
            unread.push(Unread { turn, before });
        }
    }
    Ok(unread)
}

async fn before(reader: &mut dyn VaultReader, turn: &Memory) -> Result<Vec<Memory>> {
    let filter = MemoryFilter {
        session_id: turn.draft.session_id.clone(),
        kinds: vec![RecordKind::Turn],
        namespaces: vec![turn.draft.namespace.clone()],
        states: vec![MemoryState::Active, MemoryState::Archived],
        ..MemoryFilter::default()
    };
    let behind = ListKey { created_at: turn.created_at, seq: turn.seq };
    let mut before = reader.list(&filter, ListOrder::NewestFirst, Some(behind), BEFORE, BEFORE_BYTES).await?;
    before.reverse();
    Ok(before)
}

impl Unread {
    /// Returns what it says and what was said before it; `None` for a turn that its owner deleted.
    pub(super) fn said(&self) -> Option<(Said<'_>, Vec<Said<'_>>)> {
        let spoken = said(&self.turn).filter(|_| self.turn.state != MemoryState::Deleted)?;
        Some((spoken, self.before.iter().filter_map(said).collect()))
    }

    /// Returns the options for reading it.
    pub(super) fn options(&self) -> Options {
        Options { sensitive: self.turn.draft.metadata.sensitive }
    }

    /// Returns what the judge finds in it.
    pub(super) fn by_judge(&self) -> Extraction {
        let read =
            |(said, before): (Said<'_>, Vec<Said<'_>>)| extract(said.language(&before), &said, &before, self.options());
        self.said().map(read).unwrap_or_default()
    }

    /// Makes a reading of what was found in it.
    pub(super) fn read(self, found: Extraction, by: ReadBy) -> Reading {
        Reading { turn: self.turn, found, by }
    }
}

/// Returns what a turn says; `None` for another kind of record.
fn said(turn: &Memory) -> Option<Said<'_>> {
    let Some(Detail::Turn(detail)) = &turn.draft.detail else { return None };
    let name = turn.draft.speaker.as_deref().filter(|name| *name != detail.role.name()).unwrap_or_default();
    let at = Some(turn.draft.occurred_at.unwrap_or(turn.created_at));
    Some(Said { role: detail.role, name, content: &turn.draft.content, at })
}
