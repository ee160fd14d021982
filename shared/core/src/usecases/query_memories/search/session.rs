//! Short-term memories of the current session.

use std::sync::Arc;

use super::super::around::Around;
use super::super::input::CheckedQuery;
use crate::bounds;
use crate::error::Result;
use crate::memory::{ListOrder, MemoryFilter, Tier};
use crate::ports::VaultReader;
use crate::recall::stages::{rewrite, session};
use crate::recall::{SessionMemory, Stage, Trace};
use crate::tagging::with_auto_tags;

/// Newest short-term memories of a session that are read.
const MAX_SESSION_MEMORIES: usize = 128;

/// Returns the query, with words from the session's last turns if it refers to them.
pub(super) async fn rewritten(
    vault: &mut dyn VaultReader,
    (query, filter): (&CheckedQuery, &MemoryFilter),
    around: &Around,
    trace: &mut Trace,
) -> Result<String> {
    let mut text = query.text.clone();
    if query.plan.on(Stage::Rewrite) && query.active_session.is_some() && rewrite::refers(&text) {
        let session = read(vault, query, around).await?;
        let turns = session.iter().filter(|one| filter.passes(&one.memory));
        let turns: Vec<&str> = turns.map(|one| one.memory.draft.content.as_str()).take(rewrite::TURNS.len()).collect();
        let taken = rewrite::taken(&text, &turns);
        trace.note(Stage::Rewrite, || taken.join(", "));
        for word in &taken {
            text.extend([" ", word.as_ref()]);
        }
    }
    Ok(text)
}

/// Returns the session's last turns that the filter lets through, newest first, without sensitive ones.
pub(in crate::usecases::query_memories) async fn last_turns(
    vault: &mut dyn VaultReader,
    (query, filter): (&CheckedQuery, &MemoryFilter),
    around: &Around,
) -> Result<Vec<String>> {
    let session = read(vault, query, around).await?;
    let shown = session.iter().map(|one| &one.memory);
    let shown = shown.filter(|memory| filter.passes(memory) && !memory.draft.metadata.sensitive);
    Ok(shown.map(|memory| memory.draft.content.clone()).take(rewrite::TURNS.len()).collect())
}

/// Returns the memories of the session that may come first.
pub(super) async fn memories(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    around: &Around,
) -> Result<Arc<[SessionMemory]>> {
    if query.plan.on(Stage::Session) { read(vault, query, around).await } else { Ok(Arc::from([])) }
}

/// Returns short-term memories of the active session: from the cache, or read once for this version of the vault.
async fn read(
    vault: &mut dyn VaultReader,
    query: &CheckedQuery,
    Around { user, cache, .. }: &Around,
) -> Result<Arc<[SessionMemory]>> {
    let Some(session) = &query.active_session else { return Ok(Arc::from([])) };
    let version = vault.data_version().await?;
    if let Some(memories) = cache.get(user, session, version) {
        return Ok(memories);
    }
    let filter =
        MemoryFilter { tiers: vec![Tier::ShortTerm], session_id: Some(session.clone()), ..MemoryFilter::default() };
    let order = ListOrder::NewestFirst;
    let mut newest = vault.list(&filter, order, None, MAX_SESSION_MEMORIES, bounds::MAX_PAGE_BYTES).await?;
    with_auto_tags(vault, newest.iter_mut().collect()).await?;
    let memories: Arc<[SessionMemory]> = newest.into_iter().map(session::prepared).collect();
    cache.put(user, session, version, Arc::clone(&memories));
    Ok(memories)
}
