//! Lets what a record replaced hold again once the record is gone, and end again once it is back.

use super::super::supersede::end_at;
use super::super::support::entry;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link, Relation};
use crate::memory::{Memory, MemoryState, SourceType};
use crate::ports::VaultTransaction;
use crate::tables::find;
use crate::time::Timestamp;

/// Lets the records that a record replaced hold again, now that it is forgotten or invalid: until the next record that
/// replaced them too, or for good. Those that ended by something else stay ended.
pub(in crate::usecases) async fn release(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<()> {
    let Some(newer) = tx.memory(id).await? else { return Ok(()) };
    for link in replaced_by(tx, id).await? {
        let Some(before) = tx.memory(link.to).await?.filter(|before| ended_by(before, &newer, &link)) else { continue };
        let until = next_end(tx, &before, id).await?;
        let mut draft = before.draft.clone();
        draft.valid_to = until;
        let memory = Memory { draft, updated_at: now, revision: before.revision + 1, ..before };
        tx.update_memory(&memory, None).await?;
        tx.audit(&entry(now, "memory.hold_again", Some(memory.id.to_string()), 1)).await?;
    }
    Ok(())
}

/// Ends the records that a record replaced, now that it is back.
pub(in crate::usecases) async fn end_again(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<()> {
    let Some(newer) = tx.memory(id).await?.filter(|newer| newer.holds_at(now)) else { return Ok(()) };
    for link in replaced_by(tx, id).await? {
        let Some(before) = tx.memory(link.to).await? else { continue };
        let until = newer.draft.valid_from.unwrap_or(link.created_at);
        if before.state == MemoryState::Active && before.draft.valid_to.is_none_or(|end| end > until) {
            end_at(tx, &before, until, now).await?;
            tx.audit(&entry(now, "memory.supersede", Some(before.id.to_string()), 1)).await?;
        }
    }
    Ok(())
}

/// Returns the links to what a record replaced.
async fn replaced_by(tx: &mut dyn VaultTransaction, id: MemoryId) -> Result<Vec<Link>> {
    let query = Link::of([id], Direction::Out).is("relation", Relation::Supersedes.name());
    let mut links = find::<Link>(tx.as_reader(), &query).await?;
    // A merged record says what its sources say: they went into it, and were not replaced.
    links.retain(|link| link.source != SourceType::Consolidation);
    Ok(links)
}

/// Reports whether a record ended because another one replaced it: the other begins where it ends, or was decided for
/// when it ended.
fn ended_by(before: &Memory, newer: &Memory, link: &Link) -> bool {
    let end = before.draft.valid_to;
    end.is_some() && (end == newer.draft.valid_from || end == Some(link.created_at))
}

/// Returns the end that the remaining replacements of a record give it.
async fn next_end(tx: &mut dyn VaultTransaction, before: &Memory, without: MemoryId) -> Result<Option<Timestamp>> {
    let query = Link::of([before.id], Direction::In).is("relation", Relation::Supersedes.name());
    let mut ends = Vec::new();
    for link in find::<Link>(tx.as_reader(), &query).await?.into_iter().filter(|link| link.from != without) {
        let other = tx.memory(link.from).await?.filter(|other| other.state != MemoryState::Deleted);
        ends.extend(other.map(|other| other.draft.valid_from.unwrap_or(link.created_at)));
    }
    Ok(ends.into_iter().min())
}
