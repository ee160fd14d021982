//! A write to one active memory whose change the caller does not spell out, such as a verification. The change is made
//! from what is stored, in the transaction that stores it, and returns more than a receipt.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::App;
use super::idempotency::{self, Key};
use super::support::{check_etag, load, named};
use super::write_back::{Stored, Versioning, WriteBack};
use crate::access::Caller;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::Ending;
use crate::memory::{Memory, MemoryReceipt, MemoryState, Tier};
use crate::ports::{BoxFuture, Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::tables::put;
use crate::time::Timestamp;

/// The part of the answer besides the receipt. It is stored for replays, so it holds no text.
pub(super) trait Answer: Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<A: Serialize + DeserializeOwned + Send + Sync + 'static> Answer for A {}

/// Changes a memory at a given time, and returns the answer.
type Change<A> = Box<dyn Fn(&mut Memory, Timestamp) -> Result<A> + Send + Sync>;

/// A memory to change.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// By its id.
    Id(MemoryId),
    /// By its namespace and its name.
    Name(String, String),
}

impl Target {
    /// Loads the memory, or fails with [`Error::NotFound`].
    pub(super) async fn load(&self, tx: &mut dyn VaultTransaction) -> Result<Memory> {
        match self {
            Self::Id(id) => load(tx, *id).await,
            Self::Name(namespace, name) => named(tx.as_reader(), namespace, name).await,
        }
    }
}

/// A change of one active memory.
pub(super) struct RecordChange<A> {
    /// Name of the action, for the audit and the transaction.
    pub(super) action: &'static str,
    /// The memory.
    pub(super) of: Target,
    /// The etag it must still have; empty for any.
    pub(super) etag: String,
    /// Makes the write idempotent; covers the whole request.
    pub(super) key: Option<Key>,
    /// The data recorded with the version that the change creates.
    pub(super) versioning: Versioning,
    /// W3C trace context, passed on to the work that follows.
    pub(super) traceparent: Option<String>,
    /// The change itself.
    pub(super) change: Change<A>,
    /// The reason recorded with the end of validity; `None` records none.
    pub(super) why: Option<String>,
}

/// Further writes in the same transaction, after the memory is written. They may complete the answer.
pub(super) type After<A> =
    Box<dyn for<'t> Fn(&'t mut dyn VaultTransaction, &'t Memory, &'t mut A) -> BoxFuture<'t, Result<()>> + Send + Sync>;

/// The result of a transaction: the answer, and the quota shares of tiers that grew.
type Written<A> = ((MemoryReceipt, A), Vec<(Tier, f64)>);

impl App {
    /// Makes a change; returns the receipt and the answer of the change.
    pub(super) async fn change_record<A: Answer>(
        &self,
        user: &UserId,
        asked: RecordChange<A>,
    ) -> Result<(MemoryReceipt, A)> {
        self.change_record_and(user, asked, None).await
    }

    /// Like [`change_record`](Self::change_record), with further writes in the transaction.
    pub(super) async fn change_record_and<A: Answer>(
        &self,
        user: &UserId,
        asked: RecordChange<A>,
        after: Option<After<A>>,
    ) -> Result<(MemoryReceipt, A)> {
        let trace = asked.traceparent.clone();
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Work {
            asked,
            after,
            now: self.clock.now(),
            ids,
            defaults,
            caller: self.caller.clone(),
            seals: self.seals(),
        });
        let running = self.vaults.transact(user, work.asked.action, move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        self.grown(user, trace.as_deref(), running.await).await
    }
}

struct Work<A> {
    asked: RecordChange<A>,
    after: Option<After<A>>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    caller: Option<Arc<Caller>>,
    seals: bool,
}

impl<A: Answer> Work<A> {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Written<A>> {
        let asked = &self.asked;
        let context = tx.write_context(asked.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay(asked.key.as_ref(), context.prior.as_ref())? {
            return Ok((answer, Vec::new()));
        }
        let before = asked.of.load(tx).await?;
        check_etag(&asked.etag, &before.etag())?;
        if before.state != MemoryState::Active {
            let allowed = "restore it first";
            return Err(Error::WrongState { id: before.id.to_string(), state: before.state, allowed });
        }
        let mut memory = Memory { updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        let mut answer = (asked.change)(&mut memory, self.now)?;
        let write = WriteBack {
            action: asked.action,
            now: self.now,
            ids: &*self.ids,
            defaults: &self.defaults,
            caller: self.caller.as_deref(),
            seals: self.seals,
            names_consent: false,
            versioning: &asked.versioning,
            trace: asked.traceparent.as_deref(),
        };
        let Stored { shares, masked } = write.store(tx, &context, &before, &mut memory).await?;
        if let Some(why) = &asked.why {
            let ending = Ending { memory: memory.id, at: self.now, until: memory.draft.valid_to, why: why.clone() };
            put(tx, &[ending]).await?;
        }
        if let Some(after) = &self.after {
            after(tx, &memory, &mut answer).await?;
        }
        let answer = (MemoryReceipt { masked, ..memory.receipt() }, answer);
        idempotency::remember(asked.key.as_ref(), tx, &answer, self.now).await?;
        Ok((answer, shares))
    }
}
