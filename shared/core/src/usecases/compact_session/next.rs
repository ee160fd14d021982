//! The oldest turns of a session that no summary covers.

use std::collections::{BTreeSet, HashSet};

use super::position;
use crate::compacting::{Batches, next_batch};
use crate::error::Result;
use crate::ids::{ConsentId, MemoryId};
use crate::links::{Direction, Link, Relation};
use crate::memory::{ListOrder, Memory, MemoryFilter, MemoryState, RecordKind, SourceType};
use crate::ports::VaultReader;
use crate::tables::find;

/// Newest turns of a session that are searched for uncovered ones, and their bytes at most.
const TURNS: usize = 1_000;
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Turns per query.
const AT_ONCE: usize = 500;

/// A conversation: a session in a part of the vault.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) session: String,
    pub(super) namespace: String,
}

impl Conversation {
    /// Filters records of one kind in this conversation.
    pub(super) fn of(&self, kind: RecordKind) -> MemoryFilter {
        MemoryFilter { namespaces: vec![self.namespace.clone()], ..of_session(&self.session, kind) }
    }
}

fn of_session(session: &str, kind: RecordKind) -> MemoryFilter {
    MemoryFilter {
        session_id: Some(session.to_owned()),
        kinds: vec![kind],
        // Archived turns were said, too: they only made room for others.
        states: vec![MemoryState::Active, MemoryState::Archived],
        ..MemoryFilter::default()
    }
}

/// Returns the namespaces that hold turns of a session.
pub(super) async fn namespaces(vault: &mut dyn VaultReader, session: &str) -> Result<BTreeSet<String>> {
    let filter = of_session(session, RecordKind::Turn);
    let turns = vault.list(&filter, ListOrder::NewestFirst, None, TURNS, MAX_BYTES).await?;
    Ok(turns.into_iter().map(|turn| turn.draft.namespace).collect())
}

/// Returns the next turns to summarize, grouped by the consent and sensitivity that a summary inherits.
pub(super) async fn batch(
    vault: &mut dyn VaultReader,
    conversation: &Conversation,
    by: Batches,
    without: &HashSet<MemoryId>,
) -> Result<Vec<Vec<Memory>>> {
    let filter = conversation.of(RecordKind::Turn);
    let mut turns = vault.list(&filter, ListOrder::NewestFirst, None, TURNS, MAX_BYTES).await?;
    let covered = covered(vault, &turns).await?;
    turns.retain(|turn| !covered.contains(&turn.id) && !without.contains(&turn.id));
    turns.sort_by_key(|turn| (position(turn), turn.seq));
    turns.truncate(next_batch(turns.len(), by));
    Ok(alike(turns))
}

fn alike(turns: Vec<Memory>) -> Vec<Vec<Memory>> {
    let mut groups: Vec<Vec<Memory>> = Vec::new();
    for turn in turns {
        let group = groups.iter_mut().find(|group| group.first().is_some_and(|first| domain(first) == domain(&turn)));
        match group {
            Some(group) => group.push(turn),
            None => groups.push(vec![turn]),
        }
    }
    groups
}

/// The properties that merged records must share: sensitivity and consent.
pub(super) fn domain(memory: &Memory) -> (bool, Option<ConsentId>) {
    (memory.draft.metadata.sensitive, memory.draft.consent_id)
}

/// Returns the ids of the turns that a summary covers.
pub(in crate::usecases) async fn covered(vault: &mut dyn VaultReader, turns: &[Memory]) -> Result<HashSet<MemoryId>> {
    let ids: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
    covered_ids(vault, &ids).await
}

/// Like `covered`, by ids.
pub(in crate::usecases) async fn covered_ids(
    vault: &mut dyn VaultReader,
    ids: &[MemoryId],
) -> Result<HashSet<MemoryId>> {
    let mut covered = HashSet::new();
    for ids in ids.chunks(AT_ONCE) {
        let query = made(Link::of(ids.iter().copied(), Direction::In));
        covered.extend(find::<Link>(vault, &query).await?.into_iter().map(|link| link.to));
    }
    Ok(covered)
}

/// Restricts a query for links to those that compacting made.
pub(in crate::usecases) fn made(links: crate::tables::RowQuery) -> crate::tables::RowQuery {
    links.is("relation", Relation::Summarizes.name()).is("source", SourceType::Consolidation.name())
}
