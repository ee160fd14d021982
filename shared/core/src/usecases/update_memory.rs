//! Changes some fields of a memory, and with them its size, its score and its place in the quotas.

use std::sync::Arc;

use super::App;
use super::create_memories::{Identity, note};
use super::idempotency::{self, Key};
use super::support::{check_etag, load};
use super::write_back::{Stored, Versioning, WriteBack};
use crate::access::Caller;
use crate::boxed;
use crate::context::Fingerprints;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{Memory, MemoryPatch, MemoryReceipt, MemoryState, Tier};
use crate::ports::{Ids, VaultTransaction};
use crate::retention::Recalibration;
use crate::settings::ServerDefaults;
use crate::tables::put;
use crate::time::Timestamp;

/// A change of a memory.
#[derive(Clone, Debug)]
pub struct UpdateInput {
    /// The memory.
    pub id: MemoryId,
    /// The new values, and which of them apply.
    pub patch: MemoryPatch,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Changes an active or archived memory. An active memory that grows, or moves to another tier, must fit below the
    /// hard limit of its tier.
    #[boxed]
    pub async fn update_memory(&self, user: &UserId, input: UpdateInput) -> Result<MemoryReceipt> {
        let body = (input.id, &input.etag, &input.patch.values, input.patch.paths());
        let key = self.key(&input.request_id, "memory.update", &body)?;
        let trace = input.traceparent.clone();
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let (now, caller, seals) = (self.clock.now(), self.caller.clone(), self.seals());
        let prints = self.fingerprints(user);
        let work = Arc::new(Update { input, key, now, ids, defaults, caller, seals, prints });
        let running = self.vaults.transact(user, "update_memory", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        self.grown(user, trace.as_deref(), running.await).await
    }
}

struct Update {
    input: UpdateInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    caller: Option<Arc<Caller>>,
    /// Whether sensitive attachments are sealed.
    seals: bool,
    /// Makes the digest of its statement.
    prints: Fingerprints,
}

impl Update {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(MemoryReceipt, Vec<(Tier, f64)>)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(receipt) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((receipt, Vec::new()));
        }
        let before = load(tx, self.input.id).await?;
        check_etag(&self.input.etag, &before.etag())?;
        if before.state == MemoryState::Deleted {
            let allowed = "restore it first, or create a new one";
            return Err(Error::WrongState { id: before.id.to_string(), state: before.state, allowed });
        }
        let mut memory = self.changed(&before)?;
        let write = WriteBack {
            action: "memory.update",
            now: self.now,
            ids: &*self.ids,
            defaults: &self.defaults,
            caller: self.caller.as_deref(),
            seals: self.seals,
            names_consent: self.input.patch.paths().contains(&"consent_id"),
            versioning: &Versioning::default(),
            trace: self.input.traceparent.as_deref(),
        };
        let Stored { shares, masked } = write.store(tx, &context, &before, &mut memory).await?;
        if let Some(identity) = Identity::of(&memory.draft) {
            note(tx, &[(identity.digest(&self.prints), memory.id)]).await?;
        }
        if self.input.patch.paths().contains(&"importance") {
            put(tx, &[Recalibration::by_hand(&memory, self.now)]).await?;
        }
        let receipt = MemoryReceipt { masked, ..memory.receipt() };
        idempotency::remember(self.key.as_ref(), tx, &receipt, self.now).await?;
        Ok((receipt, shares))
    }

    /// Returns the memory with the patch applied.
    fn changed(&self, before: &Memory) -> Result<Memory> {
        let draft = self.input.patch.apply(&before.draft, self.defaults.draft_limits)?;
        let mut memory = Memory { draft, updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        if self.input.patch.paths().contains(&"confidence") {
            memory.belief.rewrite(&memory.draft, before.created_at, self.now);
        }
        Ok(memory)
    }
}
