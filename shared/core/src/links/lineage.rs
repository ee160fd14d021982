//! Lineage: what a record depends on and what depends on it. Follows links level by level, so that no path leads
//! through records the reader cannot see. Expands each record once, so that cycles end.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Direction, Link, LinkKey, Relation};
use crate::bounds::MAX_LINEAGE;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::{RowQuery, TableRow as _, find};

/// Levels read one by one. A longer walk, such as along a chain, reads all links, if they are few: a statement per level would
/// take most of its time.
const LEVELS: usize = 32;
/// The most links that count as few.
const FEW: usize = 2 * MAX_LINEAGE;

/// A link in a lineage.
#[derive(Clone, Debug, PartialEq)]
pub struct LineageStep {
    /// The link.
    pub link: Link,
    /// Distance in links, from 1.
    pub depth: usize,
    /// `Out` or `In`.
    pub direction: Direction,
}

/// The links found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineage {
    /// The links, outgoing before incoming, each nearest first.
    pub steps: Vec<LineageStep>,
    /// Whether links beyond the limit were left out.
    pub truncated: bool,
}

/// The parameters of a walk.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The record to start from.
    pub from: MemoryId,
    /// The relations to follow.
    pub relations: Vec<Relation>,
    /// The direction to follow.
    pub direction: Direction,
    /// Greatest distance in links.
    pub max_depth: usize,
    /// Most links returned.
    pub limit: usize,
}

impl Walk {
    /// A walk along provenance, to any depth, in both directions.
    pub fn provenance(from: MemoryId) -> Self {
        let relations = Relation::PROVENANCE.to_vec();
        Self { from, relations, direction: Direction::Both, max_depth: usize::MAX, limit: MAX_LINEAGE }
    }

    /// Follows the links.
    pub async fn walk(&self, reader: &mut dyn VaultReader) -> Result<Lineage> {
        let mut lineage = Lineage::default();
        let (mut seen, mut all) = (HashSet::new(), All::Unread);
        for direction in [Direction::Out, Direction::In] {
            if self.direction == Direction::Both || self.direction == direction {
                self.one_way(reader, direction, (&mut seen, &mut all), &mut lineage).await?;
            }
        }
        Ok(lineage)
    }

    async fn one_way(
        &self,
        reader: &mut dyn VaultReader,
        direction: Direction,
        (seen, all): (&mut HashSet<LinkKey>, &mut All),
        lineage: &mut Lineage,
    ) -> Result<()> {
        let mut left = HashSet::from([self.from]);
        let mut frontier = BTreeSet::from([self.from]);
        let mut depth = 0;
        while !frontier.is_empty() && depth < self.max_depth && !lineage.truncated {
            depth += 1;
            let mut next = BTreeSet::new();
            if depth == LEVELS && matches!(all, All::Unread) {
                *all = self.read_all(reader).await?;
            }
            let level = match all {
                All::Read(links) => links.level(&frontier, direction, self.most()),
                All::Unread | All::TooMany => self.level(reader, &frontier, direction).await?,
            };
            for link in level {
                let other = if direction == Direction::Out { link.to } else { link.from };
                if left.insert(other) {
                    next.insert(other);
                }
                if lineage.steps.len() == self.limit {
                    lineage.truncated = true;
                    break;
                }
                // In a cycle, a link can be met in both directions.
                if seen.insert(link.key()) {
                    lineage.steps.push(LineageStep { link, depth, direction });
                }
            }
            frontier = next;
        }
        Ok(())
    }

    /// The links in one direction from some records; the limit plus one is enough.
    async fn level(
        &self,
        reader: &mut dyn VaultReader,
        frontier: &BTreeSet<MemoryId>,
        direction: Direction,
    ) -> Result<Vec<Link>> {
        let query = self.related(Link::of(frontier.iter().copied(), direction));
        find(reader, &query.at_most(self.most())).await
    }

    /// Limits a query to the relations to follow.
    fn related(&self, query: RowQuery) -> RowQuery {
        query.among(&["relation"], self.relations.iter().map(|relation| relation.name()))
    }

    /// Most links of a level: those already met in the other direction may come before new ones.
    const fn most(&self) -> usize {
        2 * self.limit + 1
    }

    async fn read_all(&self, reader: &mut dyn VaultReader) -> Result<All> {
        let links = find(reader, &self.related(Link::query()).at_most(FEW + 1)).await?;
        Ok(if links.len() > FEW { All::TooMany } else { All::Read(Links::new(links)) })
    }
}

/// All links that a walk may follow.
enum All {
    Unread,
    TooMany,
    Read(Links),
}

/// Links in the order of their keys, by either end.
struct Links {
    links: Vec<Link>,
    by_end: HashMap<(Direction, MemoryId), Vec<usize>>,
}

impl Links {
    fn new(links: Vec<Link>) -> Self {
        let mut by_end = HashMap::<_, Vec<_>>::new();
        for (position, link) in links.iter().enumerate() {
            for end in [(Direction::Out, link.from), (Direction::In, link.to)] {
                by_end.entry(end).or_default().push(position);
            }
        }
        Self { links, by_end }
    }

    /// Returns what [`Walk::level`] reads.
    fn level(&self, frontier: &BTreeSet<MemoryId>, direction: Direction, most: usize) -> Vec<Link> {
        let positions = frontier.iter().filter_map(|id| self.by_end.get(&(direction, *id))).flatten();
        let positions: BTreeSet<usize> = positions.copied().collect();
        positions.into_iter().take(most).map(|position| self.links[position].clone()).collect()
    }
}
