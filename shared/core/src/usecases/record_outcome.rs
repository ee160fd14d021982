//! Records whether memories helped. Their predictive value is learned from it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::App;
use super::idempotency::{self, Key};
use super::statements::with_copies;
use super::support::entry;
use crate::bounds::{DEFAULT_TOP_K, MAX_OUTCOME_IDS, MAX_TOP_K};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::Outcome;
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// How memories served.
#[derive(Clone, Debug)]
pub struct OutcomeInput {
    /// The memories, 1-100; an id that comes twice counts once.
    pub ids: Vec<MemoryId>,
    /// How they served.
    pub outcome: Outcome,
    /// The `top_k` of the query that found them, 1-100; 0 for the default.
    pub top_k: i32,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

impl App {
    /// Records an outcome for each memory; returns for how many. An unknown id fails the whole call.
    #[boxed]
    pub async fn record_outcome(&self, user: &UserId, input: OutcomeInput) -> Result<u64> {
        if input.ids.is_empty() || input.ids.len() > MAX_OUTCOME_IDS {
            let problem = format!("has {} entries; 1-{MAX_OUTCOME_IDS} are allowed", input.ids.len());
            return Err(Error::invalid("memory_ids", problem));
        }
        let k = k(input.top_k)?;
        let key = self.key(&input.request_id, "memory.record_outcome", &(&input.ids, input.outcome, k))?;
        let ids: Vec<MemoryId> = input.ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let work = Arc::new(Record { ids, outcome: input.outcome, key, now: self.clock.now() });
        let running = self.vaults.transact(user, "record_outcome", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (recorded, replayed) = running.await?;
        if !replayed {
            let (helpful, unhelpful) = counts(input.outcome, recorded);
            self.observer.outcome(helpful, unhelpful, k);
        }
        Ok(recorded)
    }
}

/// Checks the number of results: it is a label of a metric, so it must be bounded.
fn k(top_k: i32) -> Result<u8> {
    let named = if top_k == 0 { Some(DEFAULT_TOP_K) } else { usize::try_from(top_k).ok() };
    let k = named.filter(|k| *k <= MAX_TOP_K).and_then(|k| u8::try_from(k).ok());
    k.ok_or_else(|| Error::invalid("top_k", format!("is {top_k}; 1-{MAX_TOP_K} are allowed, or 0 for {DEFAULT_TOP_K}")))
}

struct Record {
    ids: Vec<MemoryId>,
    outcome: Outcome,
    key: Option<Key>,
    now: Timestamp,
}

impl Record {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(u64, bool)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(recorded) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((recorded, true));
        }
        let known = tx.seqs(&self.ids).await?;
        if let Some(&missing) = self.ids.iter().find(|id| !known.iter().any(|(have, _)| have == *id)) {
            return Err(Error::memory_not_found(missing));
        }
        let recorded = known.len() as u64;
        // A turn and the record learned from it helped together.
        let both = with_copies(tx.as_reader(), &self.ids).await?;
        let seqs: Vec<_> = tx.seqs(&both).await?.into_iter().map(|(_, seq)| seq).collect();
        let (helpful, unhelpful) = counts(self.outcome, 1);
        tx.add_outcomes(&seqs, helpful, unhelpful).await?;
        tx.audit(&entry(self.now, "memory.outcome", None, recorded)).await?;
        idempotency::remember(self.key.as_ref(), tx, &recorded, self.now).await?;
        Ok((recorded, false))
    }
}

const fn counts(outcome: Outcome, times: u64) -> (u64, u64) {
    match outcome {
        Outcome::Helpful => (times, 0),
        Outcome::NotHelpful => (0, times),
    }
}
