//! Archives what may be forgotten, with a separate run record.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::candidates::{ForgettingCandidate, ForgettingInput, Wanted};
use crate::boxed;
use crate::error::Result;
use crate::ids::{MemoryId, Seq, UserId};
use crate::meditation::kinds::{Body, SALIENCE, THRESHOLD};
use crate::meditation::runner::observe;
use crate::meditation::{Change, Kind, Reason, RetentionItem, Trigger};
use crate::memory::Memory;
use crate::ports::{Ids, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;
use crate::usecases::archive_now::Archiving;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::{App, embed_later};

/// Action that the idempotency key covers.
const ACTION: &str = "memory.forget_run";

/// The memories to forget.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunForgettingInput {
    /// The memories.
    pub which: ForgettingInput,
    /// Whether to return what would be forgotten, and change nothing.
    pub dry_run: bool,
    /// Makes the write idempotent; empty for none.
    #[serde(skip)]
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    #[serde(skip)]
    pub traceparent: Option<String>,
}

/// A memory that went to the archive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForgottenMemory {
    /// Its id.
    pub id: MemoryId,
    /// Its salience.
    pub salience: f64,
    /// Its bytes.
    pub size_bytes: u64,
}

/// The forgotten memories, or those that a dry run would forget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForgettingRun {
    /// The memories, least salient first.
    pub forgotten: Vec<ForgottenMemory>,
    /// Whether this was a dry run, so that nothing was changed.
    pub dry_run: bool,
}

impl App {
    /// Archives memories of low salience, up to the requested number, in one transaction. A memory stays if it has
    /// changed since it was listed and may no longer be forgotten.
    #[boxed]
    pub async fn run_forgetting(&self, user: &UserId, input: RunForgettingInput) -> Result<ForgettingRun> {
        let key = self.key(&input.request_id, ACTION, &input)?;
        let wanted = Wanted::of(input.which, self.clock.now())?;
        let found = self.candidates(user, &wanted).await?;
        if input.dry_run {
            let forgotten = found.into_iter().map(|memory| of(&wanted.candidate(memory))).collect();
            return Ok(ForgettingRun { forgotten, dry_run: true });
        }
        let work = Arc::new(Forgetting {
            wanted,
            seqs: found.iter().map(|memory| memory.seq).collect(),
            key,
            now: self.clock.now(),
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
            traceparent: input.traceparent,
        });
        let running = self.vaults.transact(user, "run_forgetting", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (answer, carried_out) = running.await?;
        observe(&*self.observer, &carried_out);
        Ok(answer)
    }
}

struct Forgetting {
    wanted: Wanted,
    seqs: Vec<Seq>,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    traceparent: Option<String>,
}

impl Forgetting {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(ForgettingRun, Vec<Change>)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((answer, Vec::new()));
        }
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let mut still = tx.memories(&self.seqs).await?;
        still.retain(|memory| self.wanted.holds_for(memory));
        let archiving = Archiving {
            trigger: Trigger::Request,
            step: "forget",
            settings: &settings,
            usage: context.usage,
            now: self.now,
            ids: Arc::clone(&self.ids),
        };
        let changes = still.iter().map(|memory| self.change(memory)).collect();
        let carried_out = archiving.carry_out(tx, changes).await?;
        if !carried_out.is_empty() {
            let tools = (&*self.ids, &*self.defaults);
            let trace = self.traceparent.as_deref();
            embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        }
        let gone = |memory: &Memory| carried_out.iter().any(|change| change.seq() == memory.seq);
        let forgotten = still.into_iter().filter(gone).map(|memory| of(&self.wanted.candidate(memory))).collect();
        let answer = ForgettingRun { forgotten, dry_run: false };
        idempotency::remember(self.key.as_ref(), tx, &answer, self.now).await?;
        Ok((answer, carried_out))
    }

    fn change(&self, memory: &Memory) -> Change {
        let salience = self.wanted.salience(memory).value;
        let numbers = Body::default().part(SALIENCE, salience).part(THRESHOLD, self.wanted.threshold);
        Change::of(&RetentionItem::of(memory), Kind::Archive, Reason::LowSalience, numbers)
    }
}

fn of(candidate: &ForgettingCandidate) -> ForgottenMemory {
    let ForgettingCandidate { memory, salience } = candidate;
    ForgottenMemory { id: memory.id, salience: salience.value, size_bytes: memory.size_bytes }
}
