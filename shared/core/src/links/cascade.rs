//! The records that an erasure takes along or makes stale. Follows `derived_from` backwards, level by level. A record
//! that depends only on erased records is erased too, even if such records depend on each other in a cycle. A record
//! that also depends on something else, directly or indirectly, becomes stale.

use std::collections::{BTreeMap, BTreeSet};

use super::{Direction, Link, Relation};
use crate::bounds::MAX_CASCADE;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::{RowQuery, count, find};

/// Records per query.
const AT_ONCE: usize = 500;

/// The consequences of an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cascade {
    /// Records that depend only on erased ones.
    pub gone: BTreeSet<MemoryId>,
    /// Records that partly depend on them.
    pub stale: BTreeSet<MemoryId>,
    /// Whether there are more than [`MAX_CASCADE`]; then only those found first are included.
    pub truncated: bool,
}

impl Cascade {
    /// Finds the consequences of erasing these records, including withheld ones. A reader who sees a part of the
    /// vault gets only visible records, and none is `gone` that also depends on a record the reader cannot see.
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
        // A record that depends on a surviving one survives.
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

/// Records that depend on these, at any depth, and whether there are more.
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

/// Reports whether a record depends on more records than the reader sees.
async fn hidden_sources(reader: &mut dyn VaultReader, id: MemoryId, seen: usize) -> Result<bool> {
    Ok(count(reader, &query(&[id], Direction::Out).whole()).await? > seen as u64)
}

fn query(ids: &[MemoryId], direction: Direction) -> RowQuery {
    let query = Link::of(ids.iter().copied(), direction).is("relation", Relation::DerivedFrom.name());
    query.without(&["evidence"]).with_doomed()
}
