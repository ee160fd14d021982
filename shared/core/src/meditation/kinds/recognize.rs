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

/// What was not read.
pub(super) fn unread(change: &Change) -> String {
    match change.subjects.len() {
        1 => "not read since it was written: one memory".to_owned(),
        memories => format!("not read since they were written: {memories} memories"),
    }
}

/// Notes mentions.
pub(super) struct Recognize;

#[async_trait]
impl Rules for Recognize {
    fn numbers(&self) -> &'static [&'static str] {
        &[NAMES]
    }

    fn is_of_each(&self) -> bool {
        true
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.recognize")
    }

    fn explain(&self, change: &Change) -> String {
        match change.body.count(NAMES) {
            0 => format!("{}; nobody and nothing is named", unread(change)),
            1 => format!("{}; an entity is named in one place", unread(change)),
            names => format!("{}; entities are named in {names} places", unread(change)),
        }
    }

    fn holds(&self, _: &Change, memory: &Memory, _: Timestamp) -> bool {
        memory.state == MemoryState::Active
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], _: Applying) -> Result<()> {
        let seqs: Vec<_> = changes.iter().flat_map(|change| &change.subjects).map(|subject| subject.seq).collect();
        let memories = tx.memories(&seqs).await?;
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        tables::delete(tx, &Mention::query().among(&["memory_id"], ids).with_withheld()).await?;
        let mentions: Vec<Mention> = memories.iter().flat_map(mentions_of).collect();
        tables::put(tx, &mentions).await?;
        let marks: Vec<ReadMark> = memories.iter().map(|memory| Entities::mark(memory.id)).collect();
        tables::put(tx, &marks).await
    }
}
