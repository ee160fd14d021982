//! Erases memories at once and for good, in any state, when their owner asks for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cascade::Following;
use super::idempotency::{self, Key};
use super::statements::{Along, ends, strike_for_good};
use super::support::{entry, load};
use super::{App, embed_later};
use crate::audit::Actor;
use crate::bounds::MAX_FORGOTTEN_AT_ONCE;
use crate::boxed;
use crate::embedding::VectorSubject;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, Seq, UserId};
use crate::memory::Tier;
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;

/// The memories to forget.
#[derive(Clone, Debug)]
pub struct ForgetInput {
    /// The memories, 1-[`MAX_FORGOTTEN_AT_ONCE`], each once.
    pub ids: Vec<MemoryId>,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// An erasure of memories. Kept for replays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Ids of the memories, in the order of the request.
    pub ids: Vec<MemoryId>,
    /// Bytes of the memories and of what went with them.
    pub size_bytes: u64,
    /// When they were erased.
    pub erased_at: Timestamp,
    /// Sequence numbers of everything erased, by which vectors are looked for.
    pub seqs: Vec<Seq>,
    /// Number of memories erased with them because they were derived from them alone.
    #[serde(default)]
    pub derived_erased: u64,
    /// Number of memories marked as stale because they were derived from them in part.
    #[serde(default)]
    pub marked_stale: u64,
    /// What went with them because it states the same.
    #[serde(flatten)]
    pub along: Along,
}

impl App {
    /// Erases memories: all of them or, with [`Error::NotFound`], none. Protected, archived and deleted ones too. All
    /// copies of what they state go with them, and what other memories say of it is struck for good.
    /// Summaries of them and what rests on them alone are erased with them; what rests on them in part is marked as
    /// stale. Ids stay in the record of changes and in the audit.
    #[boxed]
    pub async fn forget_memories(&self, user: &UserId, input: ForgetInput) -> Result<Forgotten> {
        check(&input.ids)?;
        let key = self.key(&input.request_id, "memory.forget", &input.ids)?;
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Forget { input, key, now: self.clock.now(), ids, defaults });
        let running = self.vaults.transact(user, "forget_memories", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (forgotten, tiers) = running.await?;
        // The caches of this process must not keep text that no caller may read any more.
        self.sessions.forget(user);
        self.documents.forget(user);
        self.graphs.forget(user);
        for tier in tiers {
            self.observer.deleted(tier, 1);
        }
        Ok(forgotten)
    }

    /// Reports whether the user's indexes still hold a vector of one of these. The embedder was asked to remove them.
    pub fn hold_vectors(&self, user: &UserId, seqs: &[Seq]) -> Result<bool> {
        let Some(vectors) = &self.vectors else { return Ok(false) };
        let subjects: Vec<VectorSubject> = seqs.iter().copied().map(VectorSubject::Memory).collect();
        for index in [vectors.active(user)?, vectors.building(user)?].into_iter().flatten() {
            if vectors.contains(user, &index.model, &subjects)?.contains(&true) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn check(ids: &[MemoryId]) -> Result<()> {
    if ids.is_empty() || ids.len() > MAX_FORGOTTEN_AT_ONCE {
        let problem = format!("has {} ids; 1-{MAX_FORGOTTEN_AT_ONCE} are allowed", ids.len());
        return Err(Error::invalid("ids", problem));
    }
    let mut seen = BTreeSet::new();
    match ids.iter().position(|id| !seen.insert(id)) {
        Some(at) => Err(Error::invalid(format!("ids[{at}]"), "is in the list twice; send each one once")),
        None => Ok(()),
    }
}

struct Forget {
    input: ForgetInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Forget {
    /// Returns what was erased, and the tiers that it was erased from; no tiers in a replay.
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(Forgotten, Vec<Tier>)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(forgotten) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((forgotten, Vec::new()));
        }
        let (mut seqs, mut tiers, mut size_bytes) = (Vec::new(), Vec::new(), 0);
        for id in &self.input.ids {
            load(tx, *id).await?;
        }
        let (along, copies) = strike_for_good(tx, &self.input.ids, &*self.ids, self.now).await?;
        let mut all: BTreeSet<MemoryId> = self.input.ids.iter().copied().collect();
        all.extend(copies);
        let following = Following::bounded(tx.as_reader(), &all).await?;
        for id in &all {
            // What was made of a struck text is erased already.
            let Some(memory) = tx.memory(*id).await? else { continue };
            seqs.push(memory.seq);
            tiers.push(memory.draft.tier);
            size_bytes += memory.size_bytes;
        }
        for id in &all {
            ends::release(tx, *id, self.now).await?;
        }
        let derived = following.take_along(tx, (self.now, Actor::Caller)).await?;
        let (derived_erased, marked_stale) = (derived.derived, derived.stale);
        seqs.extend(derived.seqs);
        tiers.extend(derived.tiers);
        size_bytes += derived.size_bytes;
        tx.erase_memories(&seqs, self.now).await?;
        for id in &self.input.ids {
            tx.audit(&entry(self.now, "memory.forget", Some(id.to_string()), 1)).await?;
        }
        let (tools, trace) = ((&*self.ids, &*self.defaults), self.input.traceparent.as_deref());
        embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        let (ids, erased_at) = (self.input.ids.clone(), self.now);
        let forgotten = Forgotten { ids, size_bytes, erased_at, seqs, derived_erased, marked_stale, along };
        idempotency::remember(self.key.as_ref(), tx, &forgotten, self.now).await?;
        Ok((forgotten, tiers))
    }
}
