//! Removes a memory from recall at once; it stays restorable within the grace window.

use std::sync::Arc;

use super::core_memory::may_change;
use super::idempotency::{self, Key};
use super::record_change::Target;
use super::statements::ends;
use super::support::{check_etag, entry, load};
use super::unsummarize::{Other, unsummarize};
use super::{App, embed_later};
use crate::access::Caller;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{Memory, MemoryReceipt, MemoryState};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// The memory to delete.
#[derive(Clone, Debug)]
pub struct DeleteInput {
    /// The memory.
    pub id: MemoryId,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

/// A deletion of one active or archived memory.
pub(super) struct Deletion {
    /// Name of the action, for the audit.
    pub(super) action: &'static str,
    /// The memory.
    pub(super) of: Target,
    /// The etag it must still have; empty for any.
    pub(super) etag: String,
    /// Makes the write idempotent; covers the whole request.
    pub(super) key: Option<Key>,
}

impl App {
    /// Deletes an active or archived memory. Deleting a deleted one fails with [`Error::WrongState`].
    #[boxed]
    pub async fn delete_memory(&self, user: &UserId, input: DeleteInput) -> Result<MemoryReceipt> {
        let action = "memory.delete";
        let key = self.key(&input.request_id, action, &(input.id, &input.etag))?;
        self.delete(user, Deletion { action, of: Target::Id(input.id), etag: input.etag, key }).await
    }

    /// Like [`delete_memory`](Self::delete_memory), for a memory addressed by id or name.
    pub(super) async fn delete(&self, user: &UserId, asked: Deletion) -> Result<MemoryReceipt> {
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Delete { asked, now: self.clock.now(), ids, defaults, caller: self.caller.clone() });
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
    asked: Deletion,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    caller: Option<Arc<Caller>>,
}

impl Delete {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(MemoryReceipt, bool)> {
        let Deletion { action, of, etag, key } = &self.asked;
        let context = tx.write_context(key.as_ref().map(Key::request_id)).await?;
        if let Some(receipt) = idempotency::replay(key.as_ref(), context.prior.as_ref())? {
            return Ok((receipt, true));
        }
        let mut memory = of.load(tx).await?;
        check_etag(etag, &memory.etag())?;
        if memory.state == MemoryState::Deleted {
            let allowed = "it can be restored until its grace window ends";
            return Err(Error::WrongState { id: memory.id.to_string(), state: memory.state, allowed });
        }
        may_change(&memory.draft, None, self.caller.as_deref())?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        put_aside(tx, &mut memory, (action, &settings), self.now).await?;
        ends::release(tx, memory.id, self.now).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        let receipt = memory.receipt();
        idempotency::remember(key.as_ref(), tx, &receipt, self.now).await?;
        Ok((receipt, false))
    }
}

/// Deletes a memory that is not deleted yet, and audits that.
pub(super) async fn put_aside(
    tx: &mut dyn VaultTransaction,
    memory: &mut Memory,
    (action, settings): (&'static str, &EffectiveSettings),
    now: Timestamp,
) -> Result<()> {
    if unsummarize(tx, memory.id, Other::Edited, now).await? {
        *memory = load(tx, memory.id).await?;
    }
    memory.state = MemoryState::Deleted;
    memory.archived_at = Some(now);
    memory.delete_after = Some(now.plus(settings.grace.value));
    memory.updated_at = now;
    memory.revision += 1;
    tx.set_state(memory.seq, memory.state, memory.archived_at, memory.delete_after, now).await?;
    tx.audit(&entry(now, action, Some(memory.id.to_string()), 1)).await
}
