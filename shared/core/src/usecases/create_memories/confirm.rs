//! Confirms the record of a statement that is written again.

use super::super::support::load;
use super::super::write_back::{Versioning, WriteBack};
use super::known::joined;
use super::{Item, PreparedMemories};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::{Memory, MemoryReceipt};
use crate::ports::{VaultTransaction, WriteContext};

impl PreparedMemories {
    /// Confirms a record that states what an item states: it becomes more certain, and whatever is stronger holds.
    pub(super) async fn confirm(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        item: &Item,
        known: MemoryId,
    ) -> Result<MemoryReceipt> {
        // Another draft of the batch may have confirmed it.
        let before = load(tx, known).await?;
        let draft = joined(&before.draft, &item.prepared.memory.draft);
        let mut memory = Memory { draft, updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        memory.belief.corroborate(before.created_at, self.now);
        let write = WriteBack {
            action: "memory.corroborate",
            now: self.now,
            ids: &*self.ids,
            defaults: &self.defaults,
            caller: self.caller.as_deref(),
            seals: self.seals,
            names_consent: false,
            versioning: &Versioning::default(),
            trace: self.traceparent.as_deref(),
        };
        write.store(tx, context, &before, &mut memory).await?;
        Ok(MemoryReceipt { masked: item.prepared.masked, existing: true, ..memory.receipt() })
    }
}
