//! Erases what a retraction has hidden and left to be erased: more than one transaction may erase.

use crate::audit::Actor;
use crate::bounds::MAX_ERASED_AT_ONCE;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{AuditEntry, ErasedBatch, VaultTransaction};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::support::entry;

impl App {
    /// Erases all memories that are withheld to be erased, up to 1,000 in a transaction; returns how many. Cut anywhere,
    /// the next call does the rest, as the memories themselves are the list of what is to be done.
    pub async fn erase_withheld(&self, user: &UserId) -> Result<u64> {
        // A write would make a vault for a user who has none, or none any more.
        let usage = self.vaults.read(user, |reader| Box::pin(reader.usage())).await?;
        let mut erased = 0;
        if usage.created == 0 {
            return Ok(erased);
        }
        loop {
            let now = self.clock.now();
            let step = self.vaults.transact(user, "consent.erase", move |tx| Box::pin(erase_some(tx, now)));
            let batch = step.await?;
            erased += batch.erased;
            if batch.left == 0 || batch.erased == 0 {
                return Ok(erased);
            }
        }
    }
}

/// One step of it.
pub(crate) async fn erase_some(tx: &mut dyn VaultTransaction, now: Timestamp) -> Result<ErasedBatch> {
    let batch = tx.erase_withheld(MAX_ERASED_AT_ONCE, now).await?;
    if batch.erased > 0 {
        let audit = entry(now, "consent.erase", None, batch.erased);
        tx.audit(&AuditEntry { actor: Actor::System, ..audit }).await?;
    }
    Ok(batch)
}
