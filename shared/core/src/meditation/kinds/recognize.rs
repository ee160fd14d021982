//! `recognize`: whom and what a record names is noted, in the place of what was noted before. Nothing is noted of one that is
//! sensitive, but that it was read.

use async_trait::async_trait;

use super::{Applying, Rules};
use crate::entities::{Mention, ReadMark, mentions_of};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Change;
use crate::meditation::steps::Entities;
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::tables::{self, TableRow as _};
use crate::time::Timestamp;

/// How often it names anything.
pub(in crate::meditation) const NAMES: &str = "names";

/// Notes mentions.
pub(super) struct Recognize;

#[async_trait]
impl Rules for Recognize {
    fn numbers(&self) -> &'static [&'static str] {
        &[NAMES]
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.recognize")
    }

    fn explain(&self, change: &Change) -> String {
        match change.body.count(NAMES) {
            0 => "its text was not read yet as it is, and names nobody and nothing".to_owned(),
            1 => "its text was not read yet as it is, and names one entity".to_owned(),
            names => format!("its text was not read yet as it is, and names entities in {names} places"),
        }
    }

    fn holds(&self, _: &Change, memory: &Memory, _: Timestamp) -> bool {
        memory.state == MemoryState::Active
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], _: Applying) -> Result<()> {
        let seqs: Vec<_> = changes.iter().map(|change| change.seq()).collect();
        let memories = tx.memories(&seqs).await?;
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        tables::delete(tx, &Mention::query().among(&["memory_id"], ids).with_withheld()).await?;
        let mentions: Vec<Mention> = memories.iter().flat_map(mentions_of).collect();
        tables::put(tx, &mentions).await?;
        let marks: Vec<ReadMark> = memories.iter().map(|memory| Entities::mark(memory.id)).collect();
        tables::put(tx, &marks).await
    }
}
