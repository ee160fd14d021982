//! Follows links from a memory.

use std::sync::Arc;

use super::relations;
use crate::bounds::MAX_LINEAGE;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Direction, Lineage, Relation, Walk};
use crate::usecases::App;
use crate::usecases::page::limit;

/// Where a walk starts, and how far it goes.
#[derive(Clone, Debug)]
pub struct LineageInput {
    /// The memory.
    pub id: MemoryId,
    /// Direction of the walk.
    pub direction: Direction,
    /// Relations to follow; empty for those of provenance.
    pub relations: Vec<Relation>,
    /// Most links away; 0 for any number.
    pub max_depth: i32,
    /// Most links to return; 0 for the maximum.
    pub limit: i32,
}

impl App {
    /// Returns the sources of a memory, and the memories derived from it.
    #[boxed]
    pub async fn lineage(&self, user: &UserId, input: LineageInput) -> Result<Lineage> {
        let id = input.id;
        let walk = Arc::new(input.checked()?);
        let running = self.vaults.read(user, move |reader| {
            let walk = Arc::clone(&walk);
            Box::pin(async move {
                if reader.seqs(&[id]).await?.is_empty() {
                    return Err(Error::memory_not_found(id));
                }
                walk.walk(reader).await
            })
        });
        running.await
    }
}

impl LineageInput {
    fn checked(self) -> Result<Walk> {
        let mut walk = Walk { direction: self.direction, ..Walk::provenance(self.id) };
        let named = relations(&self.relations)?;
        if !named.is_empty() {
            walk.relations = named;
        }
        match usize::try_from(self.max_depth) {
            Ok(0) => {}
            Ok(depth) => walk.max_depth = depth,
            Err(_) => return Err(Error::invalid("max_depth", format!("is {}; 0 or more is allowed", self.max_depth))),
        }
        walk.limit = limit(self.limit, MAX_LINEAGE, MAX_LINEAGE)?;
        Ok(walk)
    }
}
