//! Creates memories: checks, admits, scores and stores one memory or a batch, all or nothing. A statement that is known
//! and holds is confirmed instead of stored a second time.

mod checked;
mod confirm;
mod identity;
mod insert;
mod known;
mod older;
mod once;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::App;
use super::covering::Covering;
use super::idempotency::{self, Key};
use super::masking::mask_secrets;
use super::prepared::Prepared;
use super::support::may_store;
use crate::access::Caller;
use crate::boxed;
use crate::context::{Digest, Fingerprints};
use crate::error::Result;
use crate::ids::{MemoryId, UserId};
use crate::memory::{MemoryDraft, MemoryReceipt, Tier};
use crate::ports::{Ids, NewMemory, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use checked::{check_batch, normalized, path};
use once::{Single, Singles};

pub(super) use identity::Identity;
pub(super) use known::{Known, joined, note};
pub(super) use older::NotedUsers;

/// Drafts of a batch that are worth analysing on all processors at once; each takes about 20 µs.
const PARALLEL_FROM: usize = 100;

/// The memories to create.
#[derive(Clone, Debug, Default)]
pub struct CreateInput {
    /// The drafts, 1-1,000.
    pub drafts: Vec<MemoryDraft>,
    /// Whether they came as a batch: then errors name `memories[3]`, otherwise `memory`.
    pub batch: bool,
    /// Whether each draft becomes a new record, even if its statement is known.
    pub always_new: bool,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Stores memories in one durable transaction; returns their receipts in the order given. A statement that is known
    /// and holds is confirmed, and the receipt is that of its record. Fails, and stores none, if a draft is out of
    /// bounds, if no consent covers it, or if a tier would exceed its hard limit.
    #[boxed]
    pub async fn create_memories(&self, user: &UserId, input: CreateInput) -> Result<Vec<MemoryReceipt>> {
        let prepared = self.prepare_memories(input)?;
        self.store_memories(user, prepared).await
    }

    /// The part of [`create_memories`](Self::create_memories) that needs no vault: checks, normalizes and analyses the
    /// texts. It takes about 20 µs of computing per memory, so run large batches where they block no other work.
    pub fn prepare_memories(&self, input: CreateInput) -> Result<PreparedMemories> {
        PreparedMemories::new(self, input)
    }

    /// The rest of [`create_memories`](Self::create_memories): stores prepared memories.
    #[boxed]
    pub async fn store_memories(&self, user: &UserId, prepared: PreparedMemories) -> Result<Vec<MemoryReceipt>> {
        if prepared.once {
            self.note_older(user).await?;
        }
        let work = Arc::new(prepared.noting(&self.fingerprints(user)));
        let trace = work.traceparent.clone();
        let running = self.vaults.transact(user, "create_memories", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let created = self.relieved(user, trace.as_deref(), running.await).await?;
        self.note_created(&created);
        Ok(created.receipts)
    }

    /// Reports to the observer what was stored.
    pub(super) fn note_created(&self, created: &Created) {
        for (tier, share) in &created.shares {
            let is_new = |receipt: &&MemoryReceipt| receipt.tier == *tier && !receipt.existing;
            let items = created.receipts.iter().filter(is_new).count();
            self.observer.created(*tier, items as u64);
            self.observer.quota_usage(*tier, *share);
        }
    }
}

/// Receipts of the memories, and the quota shares of the tiers that grew; no shares in a replay.
pub(super) struct Created {
    receipts: Vec<MemoryReceipt>,
    shares: Vec<(Tier, f64)>,
}

impl Created {
    /// Id of the first memory.
    pub(super) fn first(&self) -> Option<MemoryId> {
        self.receipts.first().map(|receipt| receipt.id)
    }
}

/// Further writes in the transaction that stores memories.
#[async_trait]
pub(super) trait Also: Send + Sync {
    /// Runs before the memories are inserted, for example to free their names.
    async fn before(&self, _tx: &mut dyn VaultTransaction) -> Result<()> {
        Ok(())
    }
    /// Runs after the memories are inserted, to write what refers to them.
    async fn after(&self, tx: &mut dyn VaultTransaction, new: &[NewMemory]) -> Result<()>;
}

/// Memories to store, with everything that can be computed without the vault.
pub struct PreparedMemories {
    items: Vec<Item>,
    /// For each draft as sent, the position of its item.
    places: Vec<usize>,
    /// Whether what is known is confirmed instead of stored again.
    once: bool,
    /// Whether they came as a batch.
    batch: bool,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    caller: Option<Arc<Caller>>,
    /// Whether sensitive attachments are sealed.
    seals: bool,
    traceparent: Option<String>,
    also: Option<Arc<dyn Also>>,
}

/// A memory to store, unless its statement is known.
struct Item {
    prepared: Prepared,
    /// Position of its draft in the request.
    index: usize,
    identity: Option<Identity>,
    digest: Option<Digest>,
}

/// What becomes of an item: a record that is confirmed, or a new one under its consent.
enum Found {
    Known(MemoryId),
    New(Box<MemoryDraft>),
}

impl fmt::Debug for PreparedMemories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedMemories").field("count", &self.items.len()).finish_non_exhaustive()
    }
}

impl PreparedMemories {
    fn new(app: &App, input: CreateInput) -> Result<Self> {
        check_batch(&input.drafts)?;
        let (once, batch) = (!input.always_new, input.batch);
        let key = app.key(&input.request_id, operation(&input), &input.drafts)?;
        let now = app.clock.now();
        let mut drafts = input.drafts;
        let masked: Vec<bool> = drafts.iter_mut().map(|draft| mask_secrets(draft, &app.defaults)).collect();
        let drafts = normalized(drafts, batch, &app.defaults)?;
        may_store(app.caller.as_deref(), &drafts)?;
        let Singles { singles, places } = Singles::of(drafts.into_iter().zip(masked), once);
        let singles: Vec<_> = singles.into_iter().map(|single| (single, MemoryId(app.ids.new_id(now)))).collect();
        let caller = app.caller.as_deref();
        let item = |(single, id): (Single, MemoryId)| {
            let Single { draft, masked, index, identity } = single;
            let prepared = Prepared::new(draft, id, now, caller).noting(masked);
            Item { prepared, index, identity, digest: None }
        };
        let items = if singles.len() < PARALLEL_FROM {
            singles.into_iter().map(item).collect()
        } else {
            singles.into_par_iter().map(item).collect()
        };
        let (ids, defaults, caller) = (Arc::clone(&app.ids), Arc::clone(&app.defaults), app.caller.clone());
        let (seals, traceparent) = (app.seals(), input.traceparent);
        Ok(Self { items, places, once, batch, key, now, ids, defaults, caller, seals, traceparent, also: None })
    }

    /// Adds further writes to the transaction, and replaces the idempotency key: the drafts were made from what the
    /// vault holds, so they are not the whole request. Each becomes a new record.
    pub(super) fn with_also(self, key: Option<Key>, also: Arc<dyn Also>) -> Self {
        Self { key, also: Some(also), once: false, ..self }
    }

    /// Computes the digests by which the statements are known.
    fn noting(mut self, prints: &Fingerprints) -> Self {
        for item in &mut self.items {
            item.digest = item.identity.as_ref().map(|identity| identity.digest(prints));
        }
        self
    }

    pub(super) async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Created> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay::<Answer>(self.key.as_ref(), context.prior.as_ref())? {
            return Ok(Created { receipts: answer.receipts, shares: Vec::new() });
        }
        let (mut receipts, mut new) = (vec![None; self.items.len()], Vec::new());
        for (at, found) in self.found(tx).await?.into_iter().enumerate() {
            match found {
                Found::New(draft) => new.push((at, *draft)),
                Found::Known(known) => receipts[at] = Some(self.confirm(tx, &context, &self.items[at], known).await?),
            }
        }
        let shares = if new.is_empty() { Vec::new() } else { self.insert(tx, &context, new, &mut receipts).await? };
        let answer = Answer { receipts: self.placed(&receipts) };
        idempotency::remember(self.key.as_ref(), tx, &answer, self.now).await?;
        Ok(Created { receipts: answer.receipts, shares })
    }

    /// Returns what becomes of each item.
    async fn found(&self, tx: &mut dyn VaultTransaction) -> Result<Vec<Found>> {
        let drafts: Vec<&MemoryDraft> = self.items.iter().map(|item| &item.prepared.memory.draft).collect();
        let covering = Covering::read(tx.as_reader(), &drafts, self.now).await?;
        let digests = self.items.iter().filter(|_| self.once).filter_map(|item| item.digest);
        let known = Known::among(tx.as_reader(), digests, self.now).await?;
        let mut found = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let draft = covering.covered(item.prepared.memory.draft.clone(), &path(self.batch, item.index))?;
            let stating = match item.digest.filter(|_| self.once) {
                Some(digest) => known.stating(tx.as_reader(), digest, &draft).await?,
                None => None,
            };
            found.push(stating.map_or_else(|| Found::New(Box::new(draft)), |known| Found::Known(known.id)));
        }
        Ok(found)
    }

    /// Returns a receipt for each draft as sent. A draft that was sent before in the batch exists already.
    fn placed(&self, receipts: &[Option<MemoryReceipt>]) -> Vec<MemoryReceipt> {
        let sent = self.places.iter().enumerate().filter_map(|(index, place)| {
            let (receipt, item) = (receipts.get(*place)?.clone()?, self.items.get(*place)?);
            Some(MemoryReceipt { existing: receipt.existing || item.index != index, ..receipt })
        });
        sent.collect()
    }
}

/// Returns the name of the operation, which distinguishes requests with equal drafts.
const fn operation(input: &CreateInput) -> &'static str {
    match (input.batch, input.always_new) {
        (true, false) => "memory.batch_create",
        (false, false) => "memory.create",
        (true, true) => "memory.batch_create_new",
        (false, true) => "memory.create_new",
    }
}

/// The answer stored for replays.
#[derive(Serialize, Deserialize)]
struct Answer {
    receipts: Vec<MemoryReceipt>,
}
