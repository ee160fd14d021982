//! Reads what the vault knows of a session: its last turns, and records of messages with ids.

use std::collections::HashMap;

use super::input::ObserveInput;
use crate::conversation::{Alignment, Said, align, align_surely, id_of, sent_digest};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::{Detail, ListOrder, Memory, MemoryFilter, MemoryState, RecordKind, Role};
use crate::ports::{ListKey, VaultTransaction};
use crate::statements::Recognizer;

/// Turns read beyond the number of messages, for turns that are stored but were not sent again.
const MORE: usize = 64;
/// Most bytes of turns that are read.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// How messages without a record by their id are matched with turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matching {
    /// By their position, where that is likely; for the messages of a call.
    Likely,
    /// By their position, only beyond doubt and after this turn; for a stream of which nothing is stored by ids.
    Sure(Option<ListKey>),
    /// Not at all: they are new.
    Ids,
}

/// Turns, oldest first: what is compared, and their ids and keys.
#[derive(Default)]
pub(super) struct Turns {
    said: Vec<Said>,
    /// Whether these are all turns of the session.
    are_all: bool,
    pub(super) ids: Vec<MemoryId>,
    keys: Vec<ListKey>,
}

/// The stored data of a session.
pub(super) struct Known {
    /// The last turns.
    pub(super) newest: Turns,
    /// Turns that a stream may repeat next.
    following: Option<Turns>,
    matching: Matching,
    /// Position of the next turn.
    pub(super) next: i64,
    /// Existing records of messages with ids, by the index of the message.
    pub(super) by_id: HashMap<usize, MemoryId>,
}

/// The alignments of messages among the turns.
pub(super) struct Aligned<'k> {
    pub(super) alignments: Vec<Alignment>,
    /// The turns that they were compared with.
    pub(super) turns: &'k Turns,
}

impl Known {
    /// Reads as many turns as the messages can overlap with, and at least `least`.
    pub(super) async fn read(
        tx: &mut dyn VaultTransaction,
        input: &ObserveInput,
        (matching, least): (Matching, usize),
        by: Option<&Recognizer>,
    ) -> Result<Self> {
        let by_id = by_id(tx, input).await?;
        // A stream with messages that are stored by their ids is matched by ids alone.
        let by_ids = matching == Matching::Ids || matching != Matching::Likely && !by_id.is_empty();
        let matching = if by_ids { Matching::Ids } else { matching };
        let limit = if by_ids { MORE } else { input.messages.len() + MORE };
        let newest = Turns::read(tx, input, (ListOrder::NewestFirst, None), (limit.max(least), by)).await?;
        let following = match matching {
            Matching::Sure(behind) => {
                Some(Turns::read(tx, input, (ListOrder::OldestFirst, behind), (limit, by)).await?)
            }
            Matching::Likely | Matching::Ids => None,
        };
        let next = newest.said.iter().map(|turn| turn.position).max().map_or(0, |last| last + 1);
        Ok(Self { newest, following, matching, next, by_id })
    }

    /// Returns the alignments of messages among the turns.
    pub(super) fn alignments(&self, messages: &[Said]) -> Aligned<'_> {
        let surely = |turns: &Turns| align_surely(&turns.said, turns.are_all, messages);
        let newest = |alignments| Aligned { alignments, turns: &self.newest };
        match (self.matching, &self.following) {
            (Matching::Sure(behind), Some(turns)) => {
                let alignments = surely(turns);
                if behind.is_none() && alignments.iter().all(|alignment| *alignment == Alignment::New) {
                    newest(surely(&self.newest))
                } else {
                    Aligned { alignments, turns }
                }
            }
            (Matching::Likely, _) => newest(align(&self.newest.said, self.newest.are_all, messages)),
            _ => newest(vec![Alignment::New; messages.len()]),
        }
    }

    /// Returns how the next messages are matched, given the alignments of these and how many of them are stored now.
    pub(super) fn matching_next(&self, alignments: &Aligned<'_>, stored: usize) -> Matching {
        let last = alignments.alignments.iter().rev().find_map(|alignment| match alignment {
            Alignment::Stored(turn) => alignments.turns.keys.get(*turn).copied(),
            Alignment::Past | Alignment::New => None,
        });
        match self.matching {
            Matching::Sure(behind) if stored == 0 => Matching::Sure(last.or(behind)),
            Matching::Sure(_) => Matching::Ids,
            other => other,
        }
    }
}

impl Turns {
    async fn read(
        tx: &mut dyn VaultTransaction,
        input: &ObserveInput,
        (order, after): (ListOrder, Option<ListKey>),
        (limit, by): (usize, Option<&Recognizer>),
    ) -> Result<Self> {
        let filter = MemoryFilter {
            session_id: Some(input.session_id.clone()),
            kinds: vec![RecordKind::Turn],
            namespaces: vec![input.namespace.clone()],
            // Archived and deleted turns were said, too.
            states: MemoryState::ALL.to_vec(),
            ..MemoryFilter::default()
        };
        let mut turns = tx.list(&filter, order, after, limit, MAX_BYTES).await?;
        if order == ListOrder::NewestFirst {
            turns.reverse();
        }
        let bytes: u64 = turns.iter().map(|turn| turn.size_bytes).sum();
        // A full page may end before the turns do.
        let are_all = after.is_none() && turns.len() < limit && bytes <= MAX_BYTES as u64 / 2;
        let ids = turns.iter().map(|turn| turn.id).collect();
        let keys = turns.iter().map(|turn| ListKey { created_at: turn.created_at, seq: turn.seq }).collect();
        Ok(Self { said: turns.into_iter().map(|turn| said(turn, by)).collect(), are_all, ids, keys })
    }
}

/// Returns a turn as it was sent.
fn said(turn: Memory, by: Option<&Recognizer>) -> Said {
    let draft = turn.draft;
    let (role, position, sent) = match draft.detail {
        Some(Detail::Turn(turn)) => (turn.role, turn.position, turn.sent_digest),
        _ => (Role::User, -1, String::new()),
    };
    let bytes = draft.content.len();
    let sent = if sent.is_empty() { sent_digest(&draft.content) } else { sent };
    let digest = by.map_or_else(|| sent.clone(), |by| by.keyed(&sent));
    Said { id: draft.source_ref.unwrap_or_default(), role, digest, bytes, at: draft.occurred_at, position }
}

async fn by_id(tx: &mut dyn VaultTransaction, input: &ObserveInput) -> Result<HashMap<usize, MemoryId>> {
    let named = input.messages.iter().enumerate().filter(|(_, message)| !message.id.is_empty());
    let id = |message| id_of(&input.session_id, &input.namespace, input.sensitive, message);
    let (indices, ids): (Vec<usize>, Vec<MemoryId>) = named.map(|(index, message)| (index, id(message))).unzip();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let facts = tx.row_facts(&ids).await?;
    let there = indices.into_iter().zip(ids).zip(facts).filter(|(_, facts)| facts.is_some());
    Ok(there.map(|(found, _)| found).collect())
}
