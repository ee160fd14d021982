//! Rebuilds everything that is derived from a user's memories, in one transaction.

use std::sync::Arc;

use super::App;
use super::support::entry;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::Job;
use crate::usage::Usage;

/// What is derived has been rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Memories in the vault, in any state.
    pub memories: u64,
    /// Whether the usage counters had been wrong.
    pub counters_corrected: bool,
}

impl App {
    /// Drops and rebuilds the full-text index and the usage counters, and with `vectors` asks the embedder to make all
    /// vectors anew. For a user without a vault none is made.
    pub async fn rebuild_derived(&self, user: &UserId, vectors: bool) -> Result<Rebuilt> {
        if vectors && !self.defaults.embedding.on {
            return Err(Error::EmbeddingsOff { by: "server" });
        }
        let untouched = self.vaults.read(user, |reader| Box::pin(reader.data_version())).await? == 0;
        if untouched {
            return Ok(Rebuilt { memories: 0, counters_corrected: false });
        }
        let (now, ids) = (self.clock.now(), Arc::clone(&self.ids));
        let running = self.vaults.transact(user, "rebuild_derived", move |tx| {
            let ids = Arc::clone(&ids);
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
                Ok(Rebuilt { memories, counters_corrected: before != after })
            })
        });
        running.await
    }
}

fn items(usage: &Usage) -> u64 {
    usage.counts.iter().flatten().map(|count| count.items).sum()
}
