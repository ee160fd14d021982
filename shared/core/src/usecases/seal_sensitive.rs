//! Seals sensitive memories of a time when nothing was sealed: of a former release, or from before there was encryption.

use crate::audit::Actor;
use crate::bounds::MAX_SEALED_AT_ONCE;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{AuditEntry, SealedBatch, VaultTransaction};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::support::entry;

impl App {
    /// Seals all sensitive memories of a user that stand there in plain, a few in a transaction, then waits until the
    /// vault's log holds none of them any more; returns how many, and whether the log is empty. Cut anywhere, the next
    /// call does the rest, as the memories themselves are the list of what is to be done.
    pub async fn seal_sensitive(&self, user: &UserId) -> Result<(u64, bool)> {
        // A write would make a vault for a user who has none, or none any more.
        let usage = self.vaults.read(user, |reader| Box::pin(reader.usage())).await?;
        let mut sealed = 0;
        if usage.created == 0 {
            return Ok((sealed, true));
        }
        loop {
            let now = self.clock.now();
            let step = self.vaults.transact(user, "memory.seal", move |tx| Box::pin(seal_some(tx, now)));
            let batch = step.await?;
            sealed += batch.sealed;
            if batch.left == 0 || batch.sealed == 0 {
                break;
            }
        }
        Ok((sealed, sealed == 0 || self.vaults.empty_log(user).await?))
    }
}

/// One step of it.
pub(crate) async fn seal_some(tx: &mut dyn VaultTransaction, now: Timestamp) -> Result<SealedBatch> {
    let batch = tx.seal_sensitive(MAX_SEALED_AT_ONCE).await?;
    if batch.sealed > 0 {
        let audit = entry(now, "memory.seal", None, batch.sealed);
        tx.audit(&AuditEntry { actor: Actor::System, ..audit }).await?;
    }
    Ok(batch)
}
