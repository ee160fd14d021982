//! The records that an erasure takes along or makes stale. Follows `derived_from` backwards, level by level. A record
//! that depends only on erased records is erased too, even if such records depend on each other in a cycle. A record
//! that also depends on something else, directly or indirectly, becomes stale.

use std::collections::{BTreeMap, BTreeSet};

use super::{Direction, Link, Relation};
use crate::bounds::MAX_CASCADE;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::{RowQuery, TableRow as _, count, find};

/// Records per query.
const AT_ONCE: usize = 500;
/// Levels read one by one. A longer walk, such as along a chain, reads all links, if they are few: a statement per
/// level would take most of its time.
const LEVELS: usize = 32;
/// The most links that count as few.
const FEW: usize = 100_000;

/// Records by one that they depend on, or that depends on them.
type Neighbours = BTreeMap<MemoryId, BTreeSet<MemoryId>>;

/// The consequences of an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cascade {
    /// Records that depend only on erased ones.
    pub gone: BTreeSet<MemoryId>,
    /// Records that partly depend on them.
    pub stale: BTreeSet<MemoryId>,
    /// Whether these are more than [`MAX_CASCADE`]. Records on which the erased ones depend in turn do not count: no
    /// smaller erasure could begin with them.
    pub too_many: bool,
}

impl Cascade {
    /// Finds the consequences of erasing these records, including withheld ones. A reader who sees a part of the
    /// vault gets only visible records, and none is `gone` that also depends on a record the reader cannot see.
    pub async fn of(reader: &mut dyn VaultReader, erased: &BTreeSet<MemoryId>) -> Result<Self> {
        let resting = resting_on(reader, erased).await?;
        if resting.is_empty() {
            return Ok(Self::default());
        }
        let sources = sources_of(reader, &resting).await?;
        let survives = |id: &MemoryId| !erased.contains(id) && !resting.contains(id);
        let partly = sources.iter().filter(|(_, sources)| sources.iter().any(survives));
        let mut stale: BTreeSet<MemoryId> = partly.map(|(id, _)| *id).collect();
        stale.extend(hidden_sources(reader, &sources).await?);
        // A record that depends on a surviving one survives.
        let mut derived = Neighbours::new();
        for (id, source) in sources.iter().flat_map(|(id, of)| of.iter().map(move |source| (id, source))) {
            derived.entry(*source).or_default().insert(*id);
        }
        spread(&mut stale, &derived, |_| true);
        let gone: BTreeSet<MemoryId> = resting.difference(&stale).copied().collect();
        let too_many = resting.len() > MAX_CASCADE && {
            let of_erased = sources_of(reader, erased).await?;
            let mut circle: BTreeSet<MemoryId> = of_erased.into_values().flatten().collect();
            circle.retain(|id| resting.contains(id));
            spread(&mut circle, &sources, |id| resting.contains(id));
            resting.len() - circle.len() > MAX_CASCADE
        };
        Ok(Self { gone, stale, too_many })
    }
}

/// Adds to some records all that are reached from them and admitted.
fn spread(reached: &mut BTreeSet<MemoryId>, next: &Neighbours, admits: impl Fn(&MemoryId) -> bool) {
    let mut open: Vec<MemoryId> = reached.iter().copied().collect();
    while let Some(id) = open.pop() {
        let beside = next.get(&id).into_iter().flatten().copied();
        open.extend(beside.filter(|id| admits(id) && reached.insert(*id)));
    }
}

/// Records that depend on these, at any depth.
async fn resting_on(reader: &mut dyn VaultReader, erased: &BTreeSet<MemoryId>) -> Result<BTreeSet<MemoryId>> {
    let (mut resting, mut frontier, mut levels) = (BTreeSet::new(), erased.clone(), 0);
    while !frontier.is_empty() {
        levels += 1;
        if levels == LEVELS
            && let Some(derived) = all_derived(reader).await?
        {
            spread(&mut frontier, &derived, |id| !erased.contains(id) && !resting.contains(id));
            resting.append(&mut frontier);
            break;
        }
        let found = links(reader, &frontier, Direction::In).await?.into_iter().map(|link| link.from);
        frontier = found.filter(|id| !erased.contains(id) && resting.insert(*id)).collect();
    }
    Ok(resting)
}

/// Returns the records derived from each record; `None` if these are not few.
async fn all_derived(reader: &mut dyn VaultReader) -> Result<Option<Neighbours>> {
    let links = find::<Link>(reader, &related(Link::query()).at_most(FEW + 1)).await?;
    let mut derived = Neighbours::new();
    for link in links.iter().take(FEW) {
        derived.entry(link.to).or_default().insert(link.from);
    }
    Ok((links.len() <= FEW).then_some(derived))
}

/// Returns the records that each of these depends on.
async fn sources_of(reader: &mut dyn VaultReader, of: &BTreeSet<MemoryId>) -> Result<Neighbours> {
    let mut sources = Neighbours::new();
    for link in links(reader, of, Direction::Out).await? {
        sources.entry(link.from).or_default().insert(link.to);
    }
    Ok(sources)
}

async fn links(reader: &mut dyn VaultReader, of: &BTreeSet<MemoryId>, direction: Direction) -> Result<Vec<Link>> {
    let (ids, mut links): (Vec<MemoryId>, Vec<Link>) = (of.iter().copied().collect(), Vec::new());
    for ids in ids.chunks(AT_ONCE) {
        links.extend(find::<Link>(reader, &query(ids, direction)).await?);
    }
    Ok(links)
}

/// Returns the records that depend on more records than the reader sees.
async fn hidden_sources(reader: &mut dyn VaultReader, sources: &Neighbours) -> Result<Vec<MemoryId>> {
    let (all, mut hidden): (Vec<(MemoryId, usize)>, _) =
        (sources.iter().map(|(id, sources)| (*id, sources.len())).collect(), Vec::new());
    for some in all.chunks(AT_ONCE) {
        let (ids, seen): (Vec<MemoryId>, Vec<usize>) = some.iter().copied().unzip();
        if all_sources(reader, &ids).await? > seen.iter().sum::<usize>() as u64 {
            for (id, seen) in some {
                if all_sources(reader, &[*id]).await? > *seen as u64 {
                    hidden.push(*id);
                }
            }
        }
    }
    Ok(hidden)
}

/// Counts the records that these depend on, including those the reader cannot see.
async fn all_sources(reader: &mut dyn VaultReader, ids: &[MemoryId]) -> Result<u64> {
    count(reader, &query(ids, Direction::Out).whole()).await
}

fn query(ids: &[MemoryId], direction: Direction) -> RowQuery {
    related(Link::of(ids.iter().copied(), direction))
}

/// Limits a query to what the walk reads.
fn related(query: RowQuery) -> RowQuery {
    query.is("relation", Relation::DerivedFrom.name()).without(&["evidence"]).with_doomed()
}
