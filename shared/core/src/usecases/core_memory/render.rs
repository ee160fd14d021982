//! Reads the blocks, and renders them as text for every prompt.

use super::super::App;
use super::super::support::namespace_for;
use crate::bounds::{MAX_BLOCK_BYTES, MAX_PAGE_SIZE};
use crate::boxed;
use crate::core_memory::{Block, PREFIX, render, shown_goals};
use crate::error::Result;
use crate::goals::Goal;
use crate::ids::{Seq, UserId};
use crate::memory::{Memory, MemoryFilter};
use crate::ports::{NamesQuery, VaultReader};
use crate::settings::EffectiveSettings;

/// The core memory of a namespace.
#[derive(Clone, Debug, PartialEq)]
pub struct CoreMemory {
    /// Records of its blocks, ordered by name.
    pub blocks: Vec<Memory>,
    /// Bytes that all blocks together may hold.
    pub limit: u64,
    /// The active goals; empty for a caller who reaches only some memories.
    goals: Vec<Goal>,
}

impl CoreMemory {
    /// Renders it as one text; see [`render`].
    pub fn text(&self) -> String {
        let blocks: Vec<Block<'_>> = self.blocks.iter().filter_map(Block::of).collect();
        let own = blocks.iter().find(|block| block.label == "goals").map_or(0, |block| block.content.len());
        render(&blocks, &shown_goals(&self.goals, MAX_BLOCK_BYTES.saturating_sub(own)))
    }
}

/// Returns the records of a namespace's blocks, ordered by name.
#[boxed]
pub async fn blocks(reader: &mut dyn VaultReader, namespace: &str) -> Result<Vec<Memory>> {
    let filter = MemoryFilter { namespaces: vec![namespace.to_owned()], ..MemoryFilter::default() };
    let query = NamesQuery { filter, prefix: PREFIX.to_owned(), limit: MAX_PAGE_SIZE, ..NamesQuery::default() };
    let seqs: Vec<Seq> = reader.names(&query).await?.into_iter().map(|one| one.seq).collect();
    reader.memories(&seqs).await
}

impl App {
    /// Returns the core memory of a namespace.
    #[boxed]
    pub async fn core_memory(&self, user: &UserId, namespace: &str) -> Result<CoreMemory> {
        let namespace = namespace_for(self.caller.as_deref(), namespace)?;
        let sees_goals = self.caller.as_ref().is_none_or(|caller| caller.grant.rows.are_all());
        let read = self.vaults.read(user, move |reader| {
            let namespace = namespace.clone();
            Box::pin(async move {
                let context = reader.write_context(None).await?;
                Ok((blocks(reader, &namespace).await?, context.settings.settings, context.goals))
            })
        });
        let (blocks, settings, goals) = read.await?;
        let limit = EffectiveSettings::resolve(&settings, &self.defaults).core_memory.value;
        Ok(CoreMemory { blocks, limit, goals: if sees_goals { goals } else { Vec::new() } })
    }
}
