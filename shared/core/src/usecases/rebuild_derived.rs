//! Rebuilds everything that is derived from a user's memories, in one transaction.

use std::sync::Arc;

use super::App;
use super::support::entry;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::meditation::kinds::forget_all;
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
    /// Drops and rebuilds the full-text index and the usage counters; with `vectors`, asks the embedder to compute all
    /// vectors again. Reads the originals of documents again. Drops what meditations read out of records, and schedules
    /// a run that reads it again. Makes no vault for a user without one.
    pub async fn rebuild_derived(&self, user: &UserId, vectors: bool) -> Result<Rebuilt> {
        if vectors && !self.defaults.embedding.on {
            return Err(Error::EmbeddingsOff { by: "server" });
        }
        let untouched = self.vaults.read(user, |reader| Box::pin(reader.data_version())).await? == 0;
        if untouched {
            return Ok(Rebuilt { memories: 0, counters_corrected: false });
        }
        let (now, ids, defaults) = (self.clock.now(), Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let running = self.vaults.transact(user, "rebuild_derived", move |tx| {
            let (ids, defaults) = (Arc::clone(&ids), Arc::clone(&defaults));
            Box::pin(async move {
                let before = tx.usage().await?;
                tx.rebuild_derived().await?;
                let after = tx.usage().await?;
                let memories = items(&after);
                if vectors {
                    tx.renew_embedding(true).await?;
                    if tx.await_embedding(Some(now)).await? {
                        tx.enqueue(ids.new_id(now), &Job::Embed, now, None).await?;
                    }
                }
                tx.audit(&entry(now, "vault.rebuild", None, memories)).await?;
                read_again(tx, &*ids, &defaults.steps, now).await?;
                Ok(Rebuilt { memories, counters_corrected: before != after })
            })
        });
        let rebuilt = running.await?;
        self.read_documents_again(user).await?;
        Ok(rebuilt)
    }
}

/// Drops what steps read out of records; if there was any, schedules a run that reads all of it again.
async fn read_again(
    tx: &mut dyn VaultTransaction,
    ids: &dyn Ids,
    settings: &StepSettings,
    now: Timestamp,
) -> Result<()> {
    if forget_all(tx).await? == 0 {
        return Ok(());
    }
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
