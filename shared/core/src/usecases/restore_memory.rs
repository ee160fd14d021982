//! Restores a memory that the system archived or its owner deleted.

use std::sync::Arc;

use super::admission::Admission;
use super::idempotency::{self, Key};
use super::protection::Protection;
use super::statements::{Restoring, ends, forgotten};
use super::support::{entry, load};
use super::{App, embed_later};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{Memory, MemoryReceipt, MemoryState, Tier};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// The memory to restore.
#[derive(Clone, Debug)]
pub struct RestoreInput {
    /// The memory.
    pub id: MemoryId,
    /// Whether to protect it, too, so that the system does not archive it again.
    pub protect: bool,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Makes an archived memory active again, or a deleted one whose grace window has not passed. An archived memory
    /// whose window has passed can be restored for as long as it exists. The hard limit of its tier applies. What was
    /// deleted as copies of one statement is restored as one, whichever of them is named.
    #[boxed]
    pub async fn restore_memory(&self, user: &UserId, input: RestoreInput) -> Result<MemoryReceipt> {
        let key = self.key(&input.request_id, "memory.restore", &(input.id, input.protect))?;
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let trace = input.traceparent.clone();
        let work = Arc::new(Restore { input, key, now: self.clock.now(), ids, defaults });
        let running = self.vaults.transact(user, "restore_memory", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        self.grown(user, trace.as_deref(), running.await).await
    }
}

struct Restore {
    input: RestoreInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Restore {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(MemoryReceipt, Vec<(Tier, f64)>)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(receipt) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((receipt, Vec::new()));
        }
        let asked = load(tx, self.input.id).await?;
        let with = Restoring::of(tx.as_reader(), &asked).await?;
        if with.is_empty() || asked.state != MemoryState::Active {
            self.check_state(&asked)?;
        }
        with.put_back(tx, self.now).await?;
        let mut all = vec![load(tx, asked.id).await?];
        all.extend(with.whole.into_iter().filter(|copy| self.check_state(copy).is_ok()));
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let admission = Admission::ask(tx, &context, settings.clone(), added(&all)).await?;
        let mut receipts = Vec::new();
        for memory in all {
            receipts.push(self.activate(tx, &settings, memory).await?);
        }
        let trace = self.input.traceparent.as_deref();
        admission.follow_up(tx, &*self.ids, self.now, trace).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        let receipt = receipts.swap_remove(0);
        idempotency::remember(self.key.as_ref(), tx, &receipt, self.now).await?;
        Ok((receipt, admission.shares()))
    }

    async fn activate(
        &self,
        tx: &mut dyn VaultTransaction,
        settings: &EffectiveSettings,
        mut memory: Memory,
    ) -> Result<MemoryReceipt> {
        let before = memory.clone();
        memory.state = MemoryState::Active;
        memory.archived_at = None;
        memory.delete_after = None;
        memory.draft.protected |= self.input.protect && memory.id == self.input.id;
        Protection::of_change(&before, &memory).admit(tx, settings).await?;
        memory.updated_at = self.now;
        memory.revision += 1;
        tx.update_memory(&memory, None).await?;
        tx.audit(&entry(self.now, "memory.restore", Some(memory.id.to_string()), 1)).await?;
        forgotten::take_back(tx, &memory.draft, None).await?;
        ends::end_again(tx, memory.id, self.now).await?;
        Ok(memory.receipt())
    }

    fn check_state(&self, memory: &Memory) -> Result<()> {
        let allowed = match memory.state {
            MemoryState::Archived => return Ok(()),
            MemoryState::Deleted if memory.delete_after.is_none_or(|end| self.now < end) => return Ok(()),
            MemoryState::Deleted => "its grace window has passed, so that it is about to be erased",
            MemoryState::Active => "only archived and deleted memories can be restored",
        };
        Err(Error::WrongState { id: memory.id.to_string(), state: memory.state, allowed })
    }
}

/// Returns the bytes that tiers gain when memories become active.
fn added(memories: &[Memory]) -> Vec<(Tier, u64)> {
    let mut added: Vec<(Tier, u64)> = Vec::new();
    for memory in memories.iter().filter(|memory| memory.state != MemoryState::Active) {
        match added.iter_mut().find(|(tier, _)| *tier == memory.draft.tier) {
            Some((_, bytes)) => *bytes += memory.size_bytes,
            None => added.push((memory.draft.tier, memory.size_bytes)),
        }
    }
    added
}
