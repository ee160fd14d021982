//! Creates memories: checks, admits, scores and stores one memory or a batch, all or nothing.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::admission::Admission;
use super::core_memory::hold_total;
use super::covering::Covering;
use super::idempotency::{self, Key};
use super::masking::mask_secrets;
use super::prepared::Prepared;
use super::protection::Protection;
use super::support::{entry, may_store};
use super::{App, embed_later};
use crate::audit::AuditEntry;
use crate::bounds::{MAX_BATCH, MAX_BATCH_BYTES};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{MemoryDraft, MemoryReceipt, MemoryState, Tier};
use crate::ports::{Ids, NewMemory, VaultTransaction};
use crate::scoring::Scorer;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// Drafts of a batch that are worth analysing on all processors at once; each takes about 20 µs.
const PARALLEL_FROM: usize = 100;

/// The memories to create.
#[derive(Clone, Debug, Default)]
pub struct CreateInput {
    /// The drafts, 1-1,000.
    pub drafts: Vec<MemoryDraft>,
    /// Whether they came as a batch: then errors name `memories[3]`, otherwise `memory`.
    pub batch: bool,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Stores memories in one durable transaction; returns their receipts in the order given. Fails, and stores none,
    /// if a draft is out of bounds, if no consent covers it, or if a tier would exceed its hard limit.
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
        let work = Arc::new(prepared);
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
            let items = created.receipts.iter().filter(|receipt| receipt.tier == *tier).count();
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
    items: Vec<Prepared>,
    /// Whether they came as a batch.
    batch: bool,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    traceparent: Option<String>,
    also: Option<Arc<dyn Also>>,
}

impl fmt::Debug for PreparedMemories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedMemories").field("count", &self.items.len()).finish_non_exhaustive()
    }
}

impl PreparedMemories {
    fn new(app: &App, input: CreateInput) -> Result<Self> {
        check_batch(&input.drafts)?;
        let operation = if input.batch { "memory.batch_create" } else { "memory.create" };
        let key = app.key(&input.request_id, operation, &input.drafts)?;
        let now = app.clock.now();
        let mut drafts = input.drafts;
        let masked: Vec<bool> = drafts.iter_mut().map(|draft| mask_secrets(draft, &app.defaults)).collect();
        let drafts = normalized(drafts, input.batch, &app.defaults)?;
        may_store(app.caller.as_deref(), &drafts)?;
        let caller = app.caller.as_deref();
        let drafts = drafts.into_iter().zip(masked);
        let drafts: Vec<_> = drafts.map(|(draft, masked)| (draft, masked, MemoryId(app.ids.new_id(now)))).collect();
        let prepared = |(draft, masked, id)| Prepared::new(draft, id, now, caller).noting(masked);
        let items = if drafts.len() < PARALLEL_FROM {
            drafts.into_iter().map(prepared).collect()
        } else {
            drafts.into_par_iter().map(prepared).collect()
        };
        let (ids, defaults) = (Arc::clone(&app.ids), Arc::clone(&app.defaults));
        let batch = input.batch;
        Ok(Self { items, batch, key, now, ids, defaults, traceparent: input.traceparent, also: None })
    }

    /// Adds further writes to the transaction, and replaces the idempotency key: the drafts were made from what the
    /// vault holds, so they are not the whole request.
    pub(super) fn with_also(self, key: Option<Key>, also: Arc<dyn Also>) -> Self {
        Self { key, also: Some(also), ..self }
    }

    pub(super) async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Created> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay::<Answer>(self.key.as_ref(), context.prior.as_ref())? {
            return Ok(Created { receipts: answer.receipts, shares: Vec::new() });
        }
        let drafts: Vec<&MemoryDraft> = self.items.iter().map(|item| &item.memory.draft).collect();
        let covering = Covering::read(tx.as_reader(), &drafts, self.now).await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let weights = settings.weights.value;
        let admission = Admission::ask(tx, &context, settings.clone(), self.added()).await?;
        self.protection().admit(tx, &settings).await?;
        let mut scorer = Scorer::new(&context.goals, weights, &[], self.now.start_of_hour());
        let memories = self.memories(&covering, &mut scorer)?;
        if let Some(also) = &self.also {
            also.before(tx).await?;
        }
        tx.insert_memories(&memories).await?;
        if let Some(also) = &self.also {
            also.after(tx, &memories).await?;
        }
        for memory in &memories {
            hold_total(tx.as_reader(), &settings, &memory.draft, memory.id).await?;
        }
        tx.audit(&self.audit()).await?;
        let trace = self.traceparent.as_deref();
        admission.follow_up(tx, &*self.ids, self.now, trace).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        let masked = self.items.iter().map(|item| item.masked);
        let receipts = memories.iter().zip(masked).map(|(memory, masked)| receipt(memory, masked)).collect();
        let answer = Answer { receipts };
        idempotency::remember(self.key.as_ref(), tx, &answer, self.now).await?;
        Ok(Created { receipts: answer.receipts, shares: admission.shares() })
    }

    /// Returns the scored memories, each under the consent record that covers it.
    fn memories(&self, covering: &Covering, scorer: &mut Scorer) -> Result<Vec<NewMemory>> {
        let items = self.items.iter().enumerate();
        let memories = items.map(|(index, item)| {
            let NewMemory { draft, .. } = &item.memory;
            let draft = covering.covered(draft.clone(), &path(self.batch, index))?;
            Ok(item.scored(scorer, draft))
        });
        memories.collect()
    }

    /// Returns the added bytes of each tier that grows.
    fn added(&self) -> Vec<(Tier, u64)> {
        let of = |tier| self.items.iter().map(|i| &i.memory).filter(move |m| m.draft.tier == tier);
        Tier::ALL
            .iter()
            .map(|&tier| (tier, of(tier).map(|memory| memory.size_bytes).sum()))
            .filter(|(_, bytes)| *bytes > 0)
            .collect()
    }

    fn protection(&self) -> Protection {
        let mut protection = Protection::default();
        self.items.iter().for_each(|item| protection.add(&item.memory.draft, item.memory.size_bytes));
        protection
    }

    fn audit(&self) -> AuditEntry {
        let first = self.items.first().map(|item| &item.memory);
        let subject = first.filter(|_| self.items.len() == 1).map(|memory| memory.id.to_string());
        entry(self.now, "memory.create", subject, self.items.len() as u64)
    }
}

/// The answer stored for replays.
#[derive(Serialize, Deserialize)]
struct Answer {
    receipts: Vec<MemoryReceipt>,
}

fn receipt(memory: &NewMemory, masked: bool) -> MemoryReceipt {
    MemoryReceipt {
        id: memory.id,
        tier: memory.draft.tier,
        state: MemoryState::Active,
        size_bytes: memory.size_bytes,
        score: memory.score.score,
        etag: "1".to_owned(),
        created_at: memory.created_at,
        updated_at: memory.created_at,
        delete_after: None,
        masked,
    }
}

fn check_batch(drafts: &[MemoryDraft]) -> Result<()> {
    if drafts.is_empty() || drafts.len() > MAX_BATCH {
        let problem = format!("has {} entries; 1-{MAX_BATCH} are allowed", drafts.len());
        return Err(Error::invalid("memories", problem));
    }
    let bytes = |draft: &MemoryDraft| {
        let detail = draft.detail.as_ref().map_or(0, |detail| detail.to_json().len());
        draft.content.len() + draft.attributes.as_ref().map_or(0, String::len) + detail
    };
    let bytes: usize = drafts.iter().map(bytes).sum();
    if drafts.len() > 1 && bytes > MAX_BATCH_BYTES {
        let problem =
            format!("have {bytes} bytes in all; at most {MAX_BATCH_BYTES} are allowed: send them in several batches");
        return Err(Error::invalid("memories", problem));
    }
    Ok(())
}

/// Returns the path of a draft in the request.
fn path(batch: bool, index: usize) -> String {
    if batch { format!("memories[{index}]") } else { "memory".to_owned() }
}

/// Normalizes every draft; reports the violations of all of them.
fn normalized(drafts: Vec<MemoryDraft>, batch: bool, defaults: &ServerDefaults) -> Result<Vec<MemoryDraft>> {
    let (mut good, mut violations) = (Vec::with_capacity(drafts.len()), Vec::new());
    for (index, draft) in drafts.into_iter().enumerate() {
        let path = path(batch, index);
        let checked = draft.normalized(&path, defaults.draft_limits);
        match checked.and_then(|draft| draft.refuse_concluded(&path).map(|()| draft)) {
            Ok(draft) => good.push(draft),
            Err(Error::Invalid(found)) => violations.extend(found),
            Err(other) => return Err(other),
        }
    }
    if violations.is_empty() { Ok(good) } else { Err(Error::Invalid(violations)) }
}
