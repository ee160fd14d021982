//! Looks through one batch of items that may wait for a decision.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::merges::{Near, merges};
use super::promotions::promotions;
use super::replaced::{LinkAt, replaced};
use super::window::{AT_ONCE, key, window};
use crate::bounds::{MAX_PAGE_BYTES, MAX_PAGE_SIZE};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::LinkKey;
use crate::memory::{ListOrder, Memory};
use crate::ports::{ListKey, VaultReader};
use crate::reviews::{self, Alike, Decision, Ground, Review, ReviewId, ReviewKind};
use crate::tables::{TableRow as _, find};
use crate::time::Timestamp;
use crate::usecases::links::{open, read_contradictions};

/// Where a list continues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Behind {
    /// Among items of this kind.
    pub(super) kind: ReviewKind,
    /// After this link.
    link: Option<LinkKey>,
    /// After this memory.
    memory: Option<ListKey>,
    /// After the item about these memories.
    item: Option<(MemoryId, MemoryId)>,
    /// After what this link replaced.
    #[serde(default)]
    replaced: Option<LinkAt>,
}

impl Behind {
    /// Starts at the beginning of a kind.
    pub(super) const fn start(kind: ReviewKind) -> Self {
        Self { kind, link: None, memory: None, item: None, replaced: None }
    }

    fn link(link: LinkKey) -> Self {
        Self { link: Some(link), ..Self::start(ReviewKind::Contradiction) }
    }

    fn item(id: ReviewId) -> Self {
        Self { item: Some((id.first, id.second)), ..Self::start(id.kind) }
    }

    fn replaced(at: LinkAt) -> Self {
        Self { replaced: Some(at), ..Self::start(ReviewKind::Replaced) }
    }

    fn memory(kind: ReviewKind, memory: &Memory) -> Self {
        Self { memory: Some(key(memory)), ..Self::start(kind) }
    }
}

/// An item, and where the list continues after it.
pub(super) struct Found {
    pub(super) review: Review,
    pub(super) behind: Behind,
}

/// The items of a batch, and where its kind continues, if it does.
pub(super) struct Batch {
    pub(super) found: Vec<Found>,
    pub(super) rest: Option<Behind>,
}

/// Returns a batch of undecided items.
pub(super) async fn look(
    reader: &mut dyn VaultReader,
    behind: &Behind,
    near: &Near,
    (limit, now): (usize, Timestamp),
) -> Result<Batch> {
    let mut batch = match behind.kind {
        ReviewKind::Contradiction => contradictions(reader, behind, limit, now).await?,
        ReviewKind::Duplicate => duplicates(reader, behind, now).await?,
        ReviewKind::Promotion => ordered(promotions(reader, Ground::KINDS, now).await?, behind),
        ReviewKind::Merge => ordered(merges(reader, near, now).await?, behind),
        ReviewKind::Replaced => {
            let (found, rest) = replaced(reader, behind.replaced, limit).await?;
            let found = found.into_iter().map(|(review, at)| Found { review, behind: Behind::replaced(at) });
            Batch { found: found.collect(), rest: rest.map(Behind::replaced) }
        }
        ReviewKind::Stale | ReviewKind::Uncertain | ReviewKind::Clutter => single(reader, behind, now).await?,
    };
    let ids: Vec<MemoryId> = batch.found.iter().map(|one| one.review.id.first).collect();
    if ids.is_empty() {
        return Ok(batch);
    }
    let mut decided: Vec<Decision> = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        let query = Decision::query().is("kind", behind.kind.name()).among(&["memory_id"], ids.iter().copied());
        decided.extend(find::<Decision>(reader, &query).await?);
    }
    let decided: HashMap<ReviewId, Decision> = decided.into_iter().map(|one| (one.id, one)).collect();
    let waits = |review: &Review| decided.get(&review.id).is_none_or(|one| !one.holds_for(&review.memories));
    batch.found.retain(|one| waits(&one.review));
    Ok(batch)
}

async fn contradictions(reader: &mut dyn VaultReader, behind: &Behind, limit: usize, now: Timestamp) -> Result<Batch> {
    let mut query = open(now).at_most(limit);
    if let Some((from, relation, to)) = behind.link {
        query = query.behind(vec![from.into(), relation.name().into(), to.into()]);
    }
    let all = read_contradictions(reader, &query).await?;
    let rest = all.last().filter(|_| all.len() == limit).map(|last| Behind::link(last.link.key()));
    let found = all.into_iter().map(|one| Found {
        behind: Behind::link(one.link.key()),
        review: Review::contradiction(&one.link, one.from, one.to),
    });
    Ok(Batch { found: found.collect(), rest })
}

/// Returns items about one memory, oldest first.
async fn single(reader: &mut dyn VaultReader, behind: &Behind, now: Timestamp) -> Result<Batch> {
    let kind = behind.kind;
    let (filter, order) = (kind.filter(now), ListOrder::OldestFirst);
    let page = reader.list(&filter, order, behind.memory, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await?;
    let rest = page.last().map(|last| Behind::memory(kind, last));
    let found = page.into_iter().filter_map(|memory| {
        let behind = Behind::memory(kind, &memory);
        Review::of(kind, memory, now).map(|review| Found { review, behind })
    });
    Ok(Batch { found: found.collect(), rest })
}

/// Returns memories of the window that say what an older one says, oldest first.
async fn duplicates(reader: &mut dyn VaultReader, behind: &Behind, now: Timestamp) -> Result<Batch> {
    let window = window(reader, &ReviewKind::Duplicate.filter(now)).await?;
    let order = |memory: &Memory| (memory.created_at, memory.seq);
    let from = behind.memory.map(|key| (key.created_at, key.seq));
    let pairs = pairs(&window).into_iter().filter(|(_, newer)| from.is_none_or(|from| order(newer) > from));
    let found = pairs.filter_map(|(older, newer)| {
        let behind = Behind::memory(ReviewKind::Duplicate, newer);
        Review::duplicate(older.clone(), newer.clone(), now).map(|review| Found { review, behind })
    });
    Ok(Batch { found: found.collect(), rest: None })
}

/// Returns the items after the last one, in the order of ids.
fn ordered(all: Vec<Review>, behind: &Behind) -> Batch {
    let is_rest = |review: &Review| behind.item.is_none_or(|item| (review.id.first, review.id.second) > item);
    let found = all.into_iter().filter(is_rest).map(|review| Found { behind: Behind::item(review.id), review });
    Batch { found: found.collect(), rest: None }
}

/// Pairs each memory with the last one before it that says the same.
fn pairs(window: &[Memory]) -> Vec<(&Memory, &Memory)> {
    let said = window.iter().filter_map(|memory| Some((memory, Alike::of(memory)?)));
    let (memories, said): (Vec<&Memory>, Vec<Alike>) = said.unzip();
    let of = |(older, newer): (usize, usize)| Some((*memories.get(older)?, *memories.get(newer)?));
    reviews::pairs(&said).into_iter().filter_map(of).collect()
}
