//! What a record rests on and what rests on it: links followed from record to record, a level at a time, so that nothing is
//! passed through that the reader does not see. Each record is left once, so that a cycle ends.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::{Link, LinkKey, Relation};
use crate::bounds::MAX_LINEAGE;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::find;

/// Which way links lead from a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Away from it and towards it.
    #[default]
    Both,
    /// Away from it: what it rests on.
    Out,
    /// Towards it: what rests on it.
    In,
}

/// A link on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct LineageStep {
    /// The link.
    pub link: Link,
    /// How many links it is away, from 1.
    pub depth: usize,
    /// `Out` or `In`.
    pub direction: Direction,
}

/// Links that were followed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineage {
    /// The links, those away before those towards, the nearest of each first.
    pub steps: Vec<LineageStep>,
    /// Whether there are more than the limit.
    pub truncated: bool,
}

/// How to walk.
#[derive(Clone, Debug)]
pub struct Walk {
    /// From this record.
    pub from: MemoryId,
    /// Along these relations.
    pub relations: Vec<Relation>,
    /// Which way.
    pub direction: Direction,
    /// At most so many links away.
    pub max_depth: usize,
    /// At most this many links.
    pub limit: usize,
}

impl Walk {
    /// Along provenance, to any depth, both ways.
    pub fn provenance(from: MemoryId) -> Self {
        let relations = Relation::PROVENANCE.to_vec();
        Self { from, relations, direction: Direction::Both, max_depth: usize::MAX, limit: MAX_LINEAGE }
    }

    /// Walks.
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
                // Where a cycle leads both ways, a link is met twice.
                if seen.insert(link.key()) {
                    lineage.steps.push(LineageStep { link, depth, direction });
                }
            }
            frontier = next;
        }
        Ok(())
    }

    /// The links that lead one way from some records; one more than the limit lets in is enough.
    async fn level(
        &self,
        reader: &mut dyn VaultReader,
        frontier: &BTreeSet<MemoryId>,
        direction: Direction,
    ) -> Result<Vec<Link>> {
        let names: Vec<&str> = self.relations.iter().map(|relation| relation.name()).collect();
        let query = Link::of(frontier.iter().copied(), direction).among(&["relation"], names);
        // Those that were met going the other way may come before new ones.
        find(reader, &query.at_most(2 * self.limit + 1)).await
    }
}
