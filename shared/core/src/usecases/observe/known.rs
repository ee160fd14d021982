//! What the vault knows of a session: its last turns, and records of messages with ids.

use std::collections::HashMap;

use super::ObserveInput;
use crate::conversation::{Said, id_of, sent_digest};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::{Detail, ListOrder, Memory, MemoryFilter, MemoryState, RecordKind, Role};
use crate::ports::VaultTransaction;

/// So many turns more than messages are looked at, for those that were told and not sent again.
const MORE: usize = 64;
/// Most that is read of them, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What is stored of a session.
pub(super) struct Known {
    /// The last turns, the oldest first: what is compared, and the records.
    pub(super) said: Vec<Said>,
    /// Whether these are all that there are.
    pub(super) are_all: bool,
    pub(super) ids: Vec<MemoryId>,
    /// The place of the next turn.
    pub(super) next: i64,
    /// Of messages with ids, by their index: the records that are there.
    pub(super) by_id: HashMap<usize, MemoryId>,
}

impl Known {
    /// Reads as much as the messages can overlap with, and at least so many turns.
    pub(super) async fn read(tx: &mut dyn VaultTransaction, input: &ObserveInput, least: usize) -> Result<Self> {
        let filter = MemoryFilter {
            session_id: Some(input.session_id.clone()),
            kinds: vec![RecordKind::Turn],
            namespaces: vec![input.namespace.clone()],
            // What was archived or deleted was said, too.
            states: MemoryState::ALL.to_vec(),
            ..MemoryFilter::default()
        };
        let limit = (input.messages.len() + MORE).max(least);
        let mut turns = tx.list(&filter, ListOrder::NewestFirst, None, limit, MAX_BYTES).await?;
        turns.reverse();
        let ids = turns.iter().map(|turn| turn.id).collect();
        let are_all = turns.len() < limit;
        let said: Vec<Said> = turns.into_iter().map(said).collect();
        let next = said.iter().map(|turn| turn.position).max().map_or(0, |last| last + 1);
        Ok(Self { said, are_all, ids, next, by_id: by_id(tx, input).await? })
    }
}

/// A turn as it was sent.
fn said(turn: Memory) -> Said {
    let draft = turn.draft;
    let (role, position, sent) = match draft.detail {
        Some(Detail::Turn(turn)) => (turn.role, turn.position, turn.sent_digest),
        _ => (Role::User, -1, String::new()),
    };
    let bytes = draft.content.len();
    let digest = if sent.is_empty() { sent_digest(&draft.content) } else { sent };
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
