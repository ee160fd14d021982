//! Lets what a record replaced hold again once the record is gone, and end again once it is back.

use super::super::insights::hold_resting;
use super::super::links::add;
use super::super::supersede::{end_at, set_end};
use super::super::support::{entry, load};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link, LinkDraft, Relation};
use crate::memory::{Memory, MemoryState, SourceType};
use crate::ports::VaultTransaction;
use crate::tables::find;
use crate::time::Timestamp;

/// Lets the records that a learned record replaced hold again, now that it is forgotten or invalid: until the next record
/// that replaced them or it, or for good. Those that ended by something else stay ended.
pub(in crate::usecases) async fn release(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<()> {
    let Some(newer) = tx.memory(id).await? else { return Ok(()) };
    let replaced = replaced_by(tx, id).await?;
    let heirs = if replaced.is_empty() { Vec::new() } else { replacing(tx, id, id).await? };
    for link in replaced {
        if tx.memory(link.to).await?.is_some_and(|before| ended_by(&before, &newer, &link)) {
            hold(tx, &link, &heirs, now).await?;
        }
    }
    Ok(())
}

/// Lets the record that a link says was replaced hold again: until the next record that replaced it or is one of `heirs`,
/// or for good.
pub(in crate::usecases) async fn hold(
    tx: &mut dyn VaultTransaction,
    link: &Link,
    heirs: &[(MemoryId, Timestamp)],
    now: Timestamp,
) -> Result<()> {
    let before = load(tx, link.to).await?;
    let others = replacing(tx, before.id, link.from).await?;
    let until = others.iter().chain(heirs).map(|(_, since)| *since).min();
    set_end(tx, before, until, now).await?;
    let to_heir = |heir: &(MemoryId, Timestamp)| {
        let draft = LinkDraft::new(heir.0, Relation::Supersedes, link.to);
        LinkDraft { source: Some(SourceType::Extraction), ..draft }.into_link(now)
    };
    add(tx, &heirs.iter().map(to_heir).collect::<Vec<_>>()).await?;
    hold_resting(tx, (link.to, link.created_at), now).await?;
    tx.audit(&entry(now, "memory.hold_again", Some(link.to.to_string()), 1)).await
}

/// Ends the records that a record replaced, now that it is back.
pub(in crate::usecases) async fn end_again(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<()> {
    let Some(newer) = tx.memory(id).await?.filter(|newer| newer.holds_at(now)) else { return Ok(()) };
    for link in replaced_by(tx, id).await? {
        let Some(before) = tx.memory(link.to).await? else { continue };
        let until = newer.draft.valid_from.unwrap_or(link.created_at);
        if before.state == MemoryState::Active && before.draft.valid_to.is_none_or(|end| end > until) {
            if before.draft.valid_to.is_some_and(|end| end <= now) {
                set_end(tx, before.clone(), Some(until), now).await?;
            } else {
                end_at(tx, &before, until, now).await?;
            }
            tx.audit(&entry(now, "memory.supersede", Some(before.id.to_string()), 1)).await?;
        }
    }
    Ok(())
}

/// Returns the links to what a record replaced when it was learned.
async fn replaced_by(tx: &mut dyn VaultTransaction, id: MemoryId) -> Result<Vec<Link>> {
    let query = Link::of([id], Direction::Out).is("relation", Relation::Supersedes.name());
    let mut links = find::<Link>(tx.as_reader(), &query).await?;
    // What a person corrected or decided was wrong, and does not come back; what was merged is said by the merged record.
    links.retain(|link| link.source == SourceType::Extraction);
    Ok(links)
}

/// Reports whether a record ended because another one replaced it: the other begins where it ends, or was decided for
/// when it ended.
pub(in crate::usecases) fn ended_by(before: &Memory, newer: &Memory, link: &Link) -> bool {
    let end = before.draft.valid_to;
    end.is_some() && (end == newer.draft.valid_from || end == Some(link.created_at))
}

/// Returns the records that replace a record and still stand, without one of them, each with since when.
async fn replacing(
    tx: &mut dyn VaultTransaction,
    id: MemoryId,
    without: MemoryId,
) -> Result<Vec<(MemoryId, Timestamp)>> {
    let mut standing = Vec::new();
    for link in super::replacing(tx.as_reader(), [id]).await?.into_iter().filter(|link| link.from != without) {
        let Some(other) = tx.memory(link.from).await? else { continue };
        if stands(tx, &other, without).await? {
            standing.push((other.id, other.draft.valid_from.unwrap_or(link.created_at)));
        }
    }
    Ok(standing)
}

/// Reports whether a record still ends what it replaced: it is not forgotten, and ended only as it was replaced itself.
async fn stands(tx: &mut dyn VaultTransaction, other: &Memory, without: MemoryId) -> Result<bool> {
    if other.state == MemoryState::Deleted || other.draft.valid_to.is_none() {
        return Ok(other.state != MemoryState::Deleted);
    }
    Ok(super::replacing(tx.as_reader(), [other.id]).await?.iter().any(|link| link.from != without))
}
