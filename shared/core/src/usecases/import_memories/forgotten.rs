//! Leaves out items, or what parts of them say, that were forgotten: an earlier export must not bring them back.

use std::collections::HashMap;

use super::super::statements::forgotten::{self, Rest, Sent};
use super::piece::Piece;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::MemoryRecord;
use crate::ports::VaultTransaction;
use crate::text::TextTraits;

/// Returns the position under which an item is looked up.
pub(super) fn place(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

impl Piece {
    /// Returns what is left of items that say something forgotten, by position. Records that exist are not looked at.
    pub(super) async fn not_forgotten(
        &self,
        tx: &mut dyn VaultTransaction,
        known: &HashMap<MemoryId, MemoryRecord>,
    ) -> Result<HashMap<usize, Rest>> {
        let by = forgotten::recognizer(tx.as_reader()).await?.filter(|_| !self.choices.with_forgotten);
        let Some(by) = by else { return Ok(HashMap::new()) };
        let new = self.items.iter().filter(|(_, item)| item.id_of_record().is_none_or(|id| !known.contains_key(&id)));
        let sent =
            new.map(|(index, item)| (place(*index), Sent { draft: item.draft(), at: item.said_at(), is_import: true }));
        forgotten::left_of(tx.as_reader(), &by, &sent.collect::<Vec<_>>()).await
    }

    /// Replaces the content of a record by what is left of it, of the same length.
    pub(super) async fn strike(
        &self,
        tx: &mut dyn VaultTransaction,
        record: &mut MemoryRecord,
        left: &str,
    ) -> Result<()> {
        let memory = &mut record.memory;
        let by = forgotten::made(tx, &*self.ids, self.now).await?;
        forgotten::mark_sent(&mut memory.draft, &by);
        left.clone_into(&mut memory.draft.content);
        record.past.versions.clear();
        let memory = &mut record.memory;
        memory.sentiment = memory.draft.sentiment();
        memory.traits = TextTraits::of(left);
        Ok(())
    }
}
