//! Rebuilds everything that is derived from a user's memories, in many short transactions, so that nobody waits for it.

use std::sync::Arc;

use super::App;
use super::support::entry;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::meditation::kinds::forget_some;
use crate::meditation::schedule::schedule_run;
use crate::meditation::steps::{READING, Step, pipeline};
use crate::meditation::{Asked, Trigger};
use crate::ports::{Ids, Job, VaultTransaction};
use crate::settings::StepSettings;
use crate::time::Timestamp;
use crate::usage::Usage;

/// Result of a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Memories in the vault, in any state.
    pub memories: u64,
    /// Whether the usage counters were wrong.
    pub counters_corrected: bool,
}

impl App {
    /// Rebuilds the full-text index and the usage counters; with `vectors`, asks the embedder to compute all vectors again.
    /// Reads the originals of documents again. Drops what meditations read out of records, and schedules a run that reads
    /// it again. Makes no vault for a user without one. If interrupted, all answers stay right, and a further call does it
    /// from the start.
    #[boxed]
    pub async fn rebuild_derived(&self, user: &UserId, vectors: bool) -> Result<Rebuilt> {
        if vectors && !self.defaults.embedding.on {
            return Err(Error::EmbeddingsOff { by: "server" });
        }
        let untouched = self.vaults.read(user, |reader| Box::pin(reader.data_version())).await? == 0;
        if untouched {
            return Ok(Rebuilt { memories: 0, counters_corrected: false });
        }
        let counters_corrected = self.correct_usage(user).await?;
        self.rebuild_index(user).await?;
        let (now, ids) = (self.clock.now(), Arc::clone(&self.ids));
        let running = self.vaults.transact(user, "rebuild.end", move |tx| {
            let ids = Arc::clone(&ids);
            Box::pin(async move {
                let memories = items(&tx.usage().await?);
                if vectors {
                    tx.renew_embedding(true).await?;
                    if tx.await_embedding(Some(now)).await? {
                        tx.enqueue(ids.new_id(now), &Job::Embed, now, None).await?;
                    }
                }
                tx.audit(&entry(now, "vault.rebuild", None, memories)).await?;
                Ok(Rebuilt { memories, counters_corrected })
            })
        });
        let rebuilt = running.await?;
        self.forget_read(user).await?;
        self.read_documents_again(user).await?;
        Ok(rebuilt)
    }

    /// Corrects the usage counters; reports whether they were wrong. Counts outside of any transaction.
    async fn correct_usage(&self, user: &UserId) -> Result<bool> {
        let count = self
            .vaults
            .read(user, |reader| Box::pin(async move { Ok((reader.usage().await?, reader.recount().await?)) }));
        let (stored, counted) = count.await?;
        if stored == counted {
            return Ok(false);
        }
        let correct = self.vaults.transact(user, "rebuild.usage", move |tx| {
            let (stored, counted) = (stored.clone(), counted.clone());
            Box::pin(async move { tx.correct_usage(&stored, &counted).await })
        });
        correct.await.map(|()| true)
    }

    async fn rebuild_index(&self, user: &UserId) -> Result<()> {
        let (run, mut after) = (self.ids.new_id(self.clock.now()), None);
        loop {
            let page = self.vaults.transact(user, "rebuild.index", move |tx| tx.rebuild_index(run, after));
            after = page.await?;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Drops what steps read out of records, page by page; if there was any, schedules a run that reads all of it again.
    async fn forget_read(&self, user: &UserId) -> Result<()> {
        let (mut after, mut forgotten) = (Vec::new(), false);
        loop {
            let (now, ids, defaults) = (self.clock.now(), Arc::clone(&self.ids), Arc::clone(&self.defaults));
            let page = self.vaults.transact(user, "rebuild.read", move |tx| {
                let (ids, defaults, after) = (Arc::clone(&ids), Arc::clone(&defaults), after.clone());
                Box::pin(async move {
                    let last = forget_some(tx, after).await?;
                    if last.is_none() && forgotten {
                        read_again(tx, &*ids, &defaults.steps, now).await?;
                    }
                    Ok(last)
                })
            });
            let Some(last) = page.await? else { return Ok(()) };
            (after, forgotten) = (last, true);
        }
    }
}

/// Schedules a run of the steps that read records.
async fn read_again(
    tx: &mut dyn VaultTransaction,
    ids: &dyn Ids,
    settings: &StepSettings,
    now: Timestamp,
) -> Result<()> {
    let reading = pipeline().into_iter().map(Step::name).filter(|name| READING.contains(name));
    let steps: Vec<String> = reading.filter(|name| settings.of(name).enabled).map(str::to_owned).collect();
    if steps.is_empty() {
        return Ok(());
    }
    let asked = Asked { steps, ids: Vec::new() };
    schedule_run(tx, ids, now, (Trigger::Request, asked), false, None, None).await.map(drop)
}

fn items(usage: &Usage) -> u64 {
    usage.counts.iter().flatten().map(|count| count.items).sum()
}
