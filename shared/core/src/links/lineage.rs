//! Lineage: what a record depends on and what depends on it. Follows links level by level, so that no path leads
//! through records the reader cannot see. Expands each record once, so that cycles end.

use std::collections::{BTreeSet, HashSet};

use super::{Direction, Link, LinkKey, Relation};
use crate::bounds::MAX_LINEAGE;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::find;

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
        let mut seen = HashSet::new();
        for direction in [Direction::Out, Direction::In] {
            if self.direction == Direction::Both || self.direction == direction {
                self.one_way(reader, direction, &mut seen, &mut lineage).await?;
            }
        }
        Ok(lineage)
    }

    async fn one_way(
        &self,
        reader: &mut dyn VaultReader,
        direction: Direction,
        seen: &mut HashSet<LinkKey>,
        lineage: &mut Lineage,
    ) -> Result<()> {
        let mut left = HashSet::from([self.from]);
        let mut frontier = BTreeSet::from([self.from]);
        let mut depth = 0;
        while !frontier.is_empty() && depth < self.max_depth && !lineage.truncated {
            depth += 1;
            let mut next = BTreeSet::new();
            for link in self.level(reader, &frontier, direction).await? {
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
        let names: Vec<&str> = self.relations.iter().map(|relation| relation.name()).collect();
        let query = Link::of(frontier.iter().copied(), direction).among(&["relation"], names);
        // Links already met in the other direction may come before new ones.
        find(reader, &query.at_most(2 * self.limit + 1)).await
    }
}
