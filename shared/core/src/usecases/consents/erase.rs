//! Erases memories that a retraction withheld for erasure, with records derived from them. This may take several transactions.

use std::collections::BTreeSet;

use crate::audit::{Actor, AuditEntry};
use crate::boxed;
use crate::error::Result;
use crate::ids::{MemoryId, Seq, UserId};
use crate::ports::{Doomed, Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::cascade::Following;
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// Memories erased per transaction in the background, where nobody waits for the result.
const IN_BACKGROUND: usize = 100;
/// Divides the batch size when too many records rest on a batch.
const FEWER: usize = 8;

/// The result of one step of an erasure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Erased {
    /// Memories under the consent that are gone; those erased along with them are not counted.
    pub(crate) gone: u64,
    /// Records erased along with them.
    pub(crate) along: u64,
    /// Memories still to be erased.
    pub(crate) left: u64,
}

impl App {
    /// Erases all memories withheld for erasure, a few in each transaction; returns how many. After an interruption,
    /// the next call does the rest: the memories themselves are the list.
    #[boxed]
    pub async fn erase_withheld(&self, user: &UserId) -> Result<u64> {
        // A write would make a vault for a user who has none, or none any more.
        let usage = self.vaults.read(user, |reader| Box::pin(reader.usage())).await?;
        let mut erased = 0;
        if usage.created == 0 {
            return Ok(erased);
        }
        loop {
            let now = self.clock.now();
            let (ids, defaults) = (self.ids.clone(), self.defaults.clone());
            let step = self.vaults.transact(user, "consent.erase", move |tx| {
                let (ids, defaults) = (ids.clone(), defaults.clone());
                Box::pin(async move { erase_some(tx, (&*ids, &*defaults), now).await })
            });
            let batch = step.await?;
            erased += batch.gone;
            if batch.left == 0 || batch.gone == 0 {
                return Ok(erased);
            }
        }
    }
}

/// Erases one batch as the system.
pub(crate) async fn erase_some(
    tx: &mut dyn VaultTransaction,
    tools: (&dyn Ids, &ServerDefaults),
    now: Timestamp,
) -> Result<Erased> {
    let batch = erase_batch(tx, Actor::System, now, IN_BACKGROUND).await?;
    if batch.gone > 0 {
        let audit = entry(now, "consent.erase", None, batch.gone);
        tx.audit(&AuditEntry { actor: Actor::System, ..audit }).await?;
    }
    if batch.along > 0 {
        embed_later(tx, tools, None, now, None).await?;
    }
    Ok(batch)
}

/// Erases the oldest of the memories withheld for erasure, and records derived from them.
pub(super) async fn erase_batch(
    tx: &mut dyn VaultTransaction,
    actor: Actor,
    now: Timestamp,
    mut limit: usize,
) -> Result<Erased> {
    loop {
        let Doomed { oldest, all } = tx.doomed(limit).await?;
        if oldest.is_empty() {
            return Ok(Erased::default());
        }
        let ids: BTreeSet<MemoryId> = oldest.iter().map(|(id, _)| *id).collect();
        let following = Following::of(tx.as_reader(), &ids).await?;
        // A single memory is erased, however much rests on it.
        if following.cascade.too_many && oldest.len() > 1 {
            limit = (oldest.len() / FEWER).max(1);
            continue;
        }
        let along = following.take_along(tx, (now, actor)).await?.seqs;
        let seqs: Vec<Seq> = oldest.iter().map(|(_, seq)| *seq).chain(along.iter().copied()).collect();
        tx.erase_memories(&seqs, now).await?;
        let left = tx.doomed(0).await?.all;
        return Ok(Erased { gone: all.saturating_sub(left), along: along.len() as u64, left });
    }
}
