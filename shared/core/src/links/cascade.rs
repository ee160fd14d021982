//! What is erased with records that are erased on request, and what loses a part of what it rests on: records are followed along
//! `derived_from`, towards them, a level at a time. One that rests on nothing else goes, also where such records rest on each other
//! in a circle; one that rests on something else, too, directly or not, is stale.

use std::collections::{BTreeMap, BTreeSet};

use super::{Direction, Link, Relation};
use crate::bounds::MAX_CASCADE;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::{RowQuery, count, find};

/// Records that are asked about at a time.
const AT_ONCE: usize = 500;

/// What follows from an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cascade {
    /// Records that rest on what is erased alone.
    pub gone: BTreeSet<MemoryId>,
    /// Records that rest on it in part.
    pub stale: BTreeSet<MemoryId>,
    /// Whether there are more than [`MAX_CASCADE`]; those that were met first are named.
    pub truncated: bool,
}

impl Cascade {
    /// What follows from erasing these, whether it is withheld or not. For a reader who sees a part of the vault that is what it
    /// sees, and nothing of it goes that rests on something else which it does not see.
    pub async fn of(reader: &mut dyn VaultReader, erased: &BTreeSet<MemoryId>) -> Result<Self> {
        let (resting, truncated) = resting_on(reader, erased).await?;
        if resting.is_empty() {
            return Ok(Self { truncated, ..Self::default() });
        }
        let mut rests_on: BTreeMap<MemoryId, BTreeSet<MemoryId>> = BTreeMap::new();
        for link in links(reader, &resting, Direction::Out).await? {
            rests_on.entry(link.from).or_default().insert(link.to);
        }
        let mut stale = BTreeSet::new();
        for (id, sources) in &rests_on {
            let seen = sources.iter().any(|source| !erased.contains(source) && !resting.contains(source));
            if seen || hidden_sources(reader, *id, sources.len()).await? {
                stale.insert(*id);
            }
        }
        // What rests on what stays, stays.
        loop {
            let stays =
                |id: &&MemoryId| !stale.contains(*id) && rests_on.get(*id).is_some_and(|on| !on.is_disjoint(&stale));
            let more: Vec<MemoryId> = resting.iter().filter(stays).copied().collect();
            if more.is_empty() {
                break;
            }
            stale.extend(more);
        }
        let gone = resting.difference(&stale).copied().collect();
        Ok(Self { gone, stale, truncated })
    }
}

/// Records that rest on these, at any depth, and whether there are more.
async fn resting_on(reader: &mut dyn VaultReader, erased: &BTreeSet<MemoryId>) -> Result<(BTreeSet<MemoryId>, bool)> {
    let (mut resting, mut frontier) = (BTreeSet::new(), erased.clone());
    while !frontier.is_empty() {
        let mut next = BTreeSet::new();
        for link in links(reader, &frontier, Direction::In).await? {
            if erased.contains(&link.from) || resting.contains(&link.from) {
                continue;
            }
            if resting.len() == MAX_CASCADE {
                return Ok((resting, true));
            }
            resting.insert(link.from);
            next.insert(link.from);
        }
        frontier = next;
    }
    Ok((resting, false))
}

async fn links(reader: &mut dyn VaultReader, of: &BTreeSet<MemoryId>, direction: Direction) -> Result<Vec<Link>> {
    let (ids, mut links): (Vec<MemoryId>, Vec<Link>) = (of.iter().copied().collect(), Vec::new());
    for ids in ids.chunks(AT_ONCE) {
        links.extend(find::<Link>(reader, &query(ids, direction)).await?);
    }
    Ok(links)
}

/// Whether a record rests on more than the reader sees.
async fn hidden_sources(reader: &mut dyn VaultReader, id: MemoryId, seen: usize) -> Result<bool> {
    Ok(count(reader, &query(&[id], Direction::Out).whole()).await? > seen as u64)
}

fn query(ids: &[MemoryId], direction: Direction) -> RowQuery {
    let query = Link::of(ids.iter().copied(), direction).is("relation", Relation::DerivedFrom.name());
    query.without(&["evidence"]).with_doomed()
}
