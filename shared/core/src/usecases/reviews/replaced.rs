//! What ended by itself: records that a newer statement of the person, or a night, replaced. Undone, the old record holds
//! again, and the new one stays beside it or is dropped.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::links::{Direction, Ending, Link, LinkDraft, Relation};
use crate::memory::{Memory, MemoryState, SourceType};
use crate::ports::{VaultReader, VaultTransaction};
use crate::reviews::{Decision, Review, ReviewChange, ReviewId, ReviewKind};
use crate::tables::{RowQuery, TableRow as _, delete, find, put};
use crate::time::Timestamp;
use crate::usecases::links::{add, keep_both, supersede};
use crate::usecases::statements::ends::{self, ended_by};
use crate::usecases::supersede::{end_at, hold_again};
use crate::usecases::support::load;

/// Where the list continues: when the link was made, and its ends.
pub(super) type LinkAt = (Timestamp, MemoryId, MemoryId);

/// Sources of links that no person made.
const AUTOMATIC: [SourceType; 2] = [SourceType::Extraction, SourceType::Inference];

/// Returns what ended by itself, the latest first, with where the list continues after each, and whether it goes on.
pub(super) async fn replaced(
    reader: &mut dyn VaultReader,
    behind: Option<LinkAt>,
    limit: usize,
) -> Result<(Vec<(Review, LinkAt)>, Option<LinkAt>)> {
    let mut query = automatic().by(&["created_at", "from_id", "to_id"]).descending().at_most(limit);
    if let Some((at, from, to)) = behind {
        query = query.behind(vec![at.into(), from.into(), to.into()]);
    }
    let links: Vec<Link> = find(reader, &query).await?;
    let of = |link: &Link| (link.created_at, link.from, link.to);
    let rest = links.last().filter(|_| links.len() == limit).map(of);
    let ids: Vec<MemoryId> = links.iter().flat_map(|link| [link.from, link.to]).collect();
    let seqs: Vec<_> = reader.seqs(&ids).await?.into_iter().map(|(_, seq)| seq).collect();
    let read = reader.memories(&seqs).await?.into_iter();
    let memories: HashMap<MemoryId, Memory> = read.map(|memory| (memory.id, memory)).collect();
    let mut words = said(reader, links.iter().map(|link| link.from)).await?;
    let item = |link: Link| {
        let (old, new) = (memories.get(&link.to)?.clone(), memories.get(&link.from)?.clone());
        let at = of(&link);
        item(&link, (old, new), words.remove(&(link.from, link.created_at))).map(|review| (review, at))
    };
    Ok((links.into_iter().filter_map(item).collect(), rest))
}

/// Returns the item of this id, if what it says is still so, with the link from the new record to the old one.
pub(super) async fn named(reader: &mut dyn VaultReader, id: &ReviewId) -> Result<Option<(Review, Link)>> {
    let query = automatic().is("from_id", id.second).is("to_id", id.first);
    let Some(link) = find::<Link>(reader, &query).await?.pop() else { return Ok(None) };
    let (Some(old), Some(new)) = (reader.memory(id.first).await?, reader.memory(id.second).await?) else {
        return Ok(None);
    };
    Ok(item(&link, (old, new), None).map(|review| (review, link)))
}

fn automatic() -> RowQuery {
    let query = Link::query().is("relation", Relation::Supersedes.name());
    let mut query = query.among(&["source"], AUTOMATIC.map(SourceType::name));
    query.memories.states = vec![MemoryState::Active, MemoryState::Archived];
    query
}

/// Makes the item, if the old record did end through the link.
fn item(link: &Link, (old, new): (Memory, Memory), words: Option<String>) -> Option<Review> {
    let is_so = ended_by(&old, &new, link);
    is_so.then(|| Review::replaced((old, new), words.or_else(|| link.evidence.clone()), link.created_at))
}

/// Returns the words from which records were learned, by the record and when that was.
async fn said(
    reader: &mut dyn VaultReader,
    ids: impl Iterator<Item = MemoryId>,
) -> Result<HashMap<(MemoryId, Timestamp), String>> {
    let query = Link::of(ids, Direction::Out).is("relation", Relation::DerivedFrom.name());
    let links = find::<Link>(reader, &query).await?.into_iter();
    Ok(links.filter_map(|link| Some(((link.from, link.created_at), link.evidence?))).collect())
}

/// Makes the old record hold again. Returns the record that changed.
pub(super) async fn take_back(
    tx: &mut dyn VaultTransaction,
    (review, link): (&Review, &Link),
    change: ReviewChange,
    now: Timestamp,
) -> Result<Option<MemoryId>> {
    let (old, new) = (review.id.first, review.id.second);
    if let Some(archived) = review.memories.iter().find(|memory| memory.state != MemoryState::Active) {
        let (id, state, allowed) = (archived.id.to_string(), archived.state, "restore it first");
        return Err(Error::WrongState { id, state, allowed });
    }
    let drops = change == ReviewChange::KeepFirst;
    if drops && review.memories.last().is_some_and(|new| !new.holds_at(now)) {
        return Err(Error::conflict("choice", "is keep_first, but the second memory has ended itself; use keep_both"));
    }
    match (link.source == SourceType::Inference, drops) {
        (true, true) => drop(supersede(tx, (old, new), ("", SourceType::UserResolved), now).await?),
        (true, false) => settle(tx, (new, old), now).await?,
        (false, true) => {
            ends::release(tx, new, now).await?;
            let dropped = load(tx, new).await?;
            let start = dropped.draft.valid_from.unwrap_or(link.created_at);
            let until = end_at(tx, &dropped, start, now).await?;
            put(tx, &[Ending { memory: new, at: now, until: Some(until), why: String::new() }]).await?;
            let draft = LinkDraft::new(old, Relation::Supersedes, new);
            add(tx, &[LinkDraft { source: Some(SourceType::UserResolved), ..draft }.into_link(now)]).await?;
        }
        (false, false) => {
            ends::hold(tx, link, &[], now).await?;
            delete(tx, &Link::named(link.key())).await?;
            // No night takes the two for a contradiction that is still open.
            settle(tx, (new, old), now).await?;
        }
    }
    Ok(Some(old))
}

/// Says that both hold, although a rule found that they exclude each other.
async fn settle(tx: &mut dyn VaultTransaction, (new, old): (MemoryId, MemoryId), now: Timestamp) -> Result<()> {
    let named = Link::named((new, Relation::Contradicts, old));
    let found = find::<Link>(tx.as_reader(), &named).await?.pop();
    let link = found.unwrap_or_else(|| LinkDraft::new(new, Relation::Contradicts, old).into_link(now));
    keep_both(tx, "", link, now).await.map(drop)
}

/// Ends the old record again, as it had ended before it was undone.
pub(super) async fn end_again(
    tx: &mut dyn VaultTransaction,
    (id, change): (&ReviewId, ReviewChange),
    decision: &Decision,
    now: Timestamp,
) -> Result<()> {
    let (old, new) = (id.first, id.second);
    let night = ReviewId { kind: ReviewKind::Contradiction, first: new, second: old };
    let by_night = !find::<Decision>(tx.as_reader(), &Decision::named(&night)).await?.is_empty();
    if change == ReviewChange::KeepFirst {
        hold_again(tx, (old, new), (decision.at, None), now).await?;
        if !by_night {
            return ends::end_again(tx, new, now).await;
        }
    }
    if by_night {
        return supersede(tx, (new, old), ("", SourceType::Inference), now).await.map(drop);
    }
    delete(tx, &Link::named((new, Relation::Contradicts, old))).await?;
    let before = load(tx, old).await?;
    end_at(tx, &before, decision.until.unwrap_or(now), now).await?;
    let draft = LinkDraft::new(new, Relation::Supersedes, old);
    add(tx, &[LinkDraft { source: Some(SourceType::Extraction), ..draft }.into_link(now)]).await
}
