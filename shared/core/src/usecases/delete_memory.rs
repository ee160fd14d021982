//! Takes a memory out of recall at once; it stays restorable for the grace window.

use std::sync::Arc;

use super::idempotency::{self, Key};
use super::support::{check_etag, entry, load};
use super::{App, embed_later};
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{MemoryReceipt, MemoryState};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// Which memory to delete.
#[derive(Clone, Debug)]
pub struct DeleteInput {
    /// The memory.
    pub id: MemoryId,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

impl App {
    /// Deletes an active or archived memory. Deleting a deleted one fails with [`Error::WrongState`].
    pub async fn delete_memory(&self, user: &UserId, input: DeleteInput) -> Result<MemoryReceipt> {
        let key = self.key(&input.request_id, "memory.delete", &(input.id, &input.etag))?;
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Delete { input, key, now: self.clock.now(), ids, defaults });
        let running = self.vaults.transact(user, "delete_memory", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (receipt, replayed) = running.await?;
        if !replayed {
            self.observer.deleted(receipt.tier, 1);
        }
        Ok(receipt)
    }
}

struct Delete {
    input: DeleteInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Delete {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(MemoryReceipt, bool)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(receipt) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((receipt, true));
        }
        let mut memory = load(tx, self.input.id).await?;
        check_etag(&self.input.etag, &memory.etag())?;
        if memory.state == MemoryState::Deleted {
            let allowed = "it can be restored until its grace window ends";
            return Err(Error::WrongState { id: memory.id.to_string(), state: memory.state, allowed });
        }
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        memory.state = MemoryState::Deleted;
        memory.archived_at = Some(self.now);
        memory.delete_after = Some(self.now.plus(settings.grace.value));
        memory.updated_at = self.now;
        memory.revision += 1;
        tx.set_state(memory.seq, memory.state, memory.archived_at, memory.delete_after, self.now).await?;
        tx.audit(&entry(self.now, "memory.delete", Some(memory.id.to_string()), 1)).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        let receipt = memory.receipt();
        idempotency::remember(self.key.as_ref(), tx, &receipt, self.now).await?;
        Ok((receipt, false))
    }
}
