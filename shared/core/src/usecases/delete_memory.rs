//! Removes a memory from recall at once; it stays restorable within the grace window.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::core_memory::may_change;
use super::idempotency::{self, Key};
use super::record_change::Target;
use super::statements::{Along, put_all_aside};
use super::support::{check_etag, load};
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

/// A deleted memory. Stored for replays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deleted {
    /// The receipt of the memory.
    #[serde(flatten)]
    pub receipt: MemoryReceipt,
    /// What was deleted with it.
    #[serde(flatten)]
    pub along: Along,
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
    /// Deletes an active or archived memory with all copies of what it states. Deleting a deleted one fails with
    /// [`Error::WrongState`].
    #[boxed]
    pub async fn delete_memory(&self, user: &UserId, input: DeleteInput) -> Result<Deleted> {
        let action = "memory.delete";
        let key = self.key(&input.request_id, action, &(input.id, &input.etag))?;
        self.delete(user, Deletion { action, of: Target::Id(input.id), etag: input.etag, key }).await
    }

    /// Returns what [`delete_memory`](Self::delete_memory) would do to other memories.
    #[boxed]
    pub async fn preview_deletion(&self, user: &UserId, id: MemoryId) -> Result<(Memory, Along)> {
        let read = self.vaults.read(user, move |reader| {
            Box::pin(async move {
                let memory = reader.memory(id).await?.ok_or_else(|| Error::memory_not_found(id))?;
                refuse_deleted(&memory)?;
                let along = Along::of(reader, id).await?;
                Ok((memory, along))
            })
        });
        read.await
    }

    /// Like [`delete_memory`](Self::delete_memory), for a memory addressed by id or name.
    pub(super) async fn delete(&self, user: &UserId, asked: Deletion) -> Result<Deleted> {
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Delete { asked, now: self.clock.now(), ids, defaults, caller: self.caller.clone() });
        let running = self.vaults.transact(user, "delete_memory", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (deleted, replayed) = running.await?;
        if !replayed {
            self.observer.deleted(deleted.receipt.tier, 1);
            if !deleted.along.struck.is_empty() || !deleted.along.also_forgotten.is_empty() {
                self.sessions.forget(user);
                self.graphs.forget(user);
            }
        }
        Ok(deleted)
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
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(Deleted, bool)> {
        let Deletion { action, of, etag, key } = &self.asked;
        let context = tx.write_context(key.as_ref().map(Key::request_id)).await?;
        if let Some(deleted) = idempotency::replay(key.as_ref(), context.prior.as_ref())? {
            return Ok((deleted, true));
        }
        let mut memory = of.load(tx).await?;
        check_etag(etag, &memory.etag())?;
        refuse_deleted(&memory)?;
        may_change(&memory.draft, None, self.caller.as_deref())?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let along = put_all_aside(tx, &mut memory, (action, &settings, &*self.ids), self.now).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        let deleted = Deleted { receipt: memory.receipt(), along };
        idempotency::remember(key.as_ref(), tx, &deleted, self.now).await?;
        Ok((deleted, false))
    }
}

fn refuse_deleted(memory: &Memory) -> Result<()> {
    if memory.state != MemoryState::Deleted {
        return Ok(());
    }
    let allowed = "it can be restored until its grace window ends";
    Err(Error::WrongState { id: memory.id.to_string(), state: memory.state, allowed })
}

/// Deletes a memory that is not deleted yet, without its copies; the caller audits that.
pub(super) async fn put_aside(
    tx: &mut dyn VaultTransaction,
    memory: &mut Memory,
    now: Timestamp,
    settings: &EffectiveSettings,
) -> Result<()> {
    if unsummarize(tx, memory.id, Other::Edited, now).await? {
        *memory = load(tx, memory.id).await?;
    }
    memory.state = MemoryState::Deleted;
    memory.archived_at = Some(now);
    memory.delete_after = Some(now.plus(settings.grace.value));
    memory.updated_at = now;
    memory.revision += 1;
    tx.set_state(memory.seq, memory.state, memory.archived_at, memory.delete_after, now).await
}
