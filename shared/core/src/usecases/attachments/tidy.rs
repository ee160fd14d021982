//! Removes bytes that nobody refers to: at once what is condemned, after a while what never hung on a memory and what
//! uploads left that were cut, and now and then what no row knows.

use std::sync::Arc;

use crate::attachments::PendingBlobs;
use crate::audit::Actor;
use crate::error::Result;
use crate::ids::{BlobId, UserId};
use crate::ports::{AuditEntry, Blobs, Job, VaultTransaction};
use crate::time::{Span, Timestamp};
use crate::usecases::App;
use crate::usecases::support::entry;

/// Blobs removed between two transactions.
const BATCH: usize = 100;
/// Rows of blobs read at once.
const PAGE: usize = 1_000;

/// What tidying up found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Attachments whose bytes were sealed.
    pub sealed: u64,
    /// Attachments whose bytes should be sealed and could not be.
    pub unsealed: u64,
    /// Attachments that never hung on a memory.
    pub expired: u64,
    /// Blobs whose bytes were removed.
    pub removed: u64,
    /// Things that no row knew.
    pub strays: u64,
    /// Blobs whose bytes should be there and are not.
    pub missing: u64,
}

impl App {
    /// Removes the bytes of what is condemned, right now. What fails is left to the job that was put in the outbox with
    /// it.
    pub async fn remove_condemned(&self, user: &UserId) -> bool {
        let Some(blobs) = &self.blobs else { return true };
        self.remove_all_condemned(user, blobs).await.is_ok()
    }

    /// Removes what its time has come for, and with `thoroughly` what no row knows; what is left for later gets a job for
    /// then. May be cut anywhere and done again.
    pub async fn tidy_attachments(&self, user: &UserId, thoroughly: bool) -> Result<Tidied> {
        let mut tidied = Tidied::default();
        let Some(blobs) = self.blobs.clone() else { return Ok(tidied) };
        let now = self.clock.now();
        (tidied.sealed, tidied.unsealed) = self.seal_attachments(user).await?;
        let pending = self.pending(user).await?;
        if !pending.is_empty() {
            let limits = &self.defaults.attachments;
            let (unreferenced, staged) = (now.minus(limits.unreferenced_for), now.minus(limits.upload_within));
            tidied.expired = self.expire(user, unreferenced, staged).await?;
            tidied.removed = self.remove_all_condemned(user, &blobs).await?;
            self.come_again(user).await?;
        }
        if thoroughly {
            self.compare(user, &blobs, &mut tidied).await?;
        }
        Ok(tidied)
    }

    pub(super) async fn pending(&self, user: &UserId) -> Result<PendingBlobs> {
        self.vaults.read(user, |reader| Box::pin(reader.pending_blobs(BATCH))).await
    }

    async fn expire(&self, user: &UserId, unreferenced: Timestamp, staged: Timestamp) -> Result<u64> {
        let now = self.clock.now();
        let expire = self.vaults.transact_existing(user, "attachment.expire", move |tx| {
            Box::pin(async move {
                let expired = tx.expire_attachments(unreferenced, staged).await?;
                if expired > 0 {
                    tx.audit(&by_system(entry(now, "attachment.expire", None, expired))).await?;
                }
                Ok(expired)
            })
        });
        Ok(expire.await?.unwrap_or_default())
    }

    async fn remove_all_condemned(&self, user: &UserId, blobs: &Arc<dyn Blobs>) -> Result<u64> {
        let mut removed = 0;
        loop {
            let condemned: Arc<[BlobId]> = self.pending(user).await?.condemned.into();
            if condemned.is_empty() {
                return Ok(removed);
            }
            blobs.remove(user, &condemned).await?;
            removed += condemned.len() as u64;
            let now = self.clock.now();
            let forget = self.vaults.transact_existing(user, "attachment.removed", move |tx| {
                let condemned = Arc::clone(&condemned);
                Box::pin(async move {
                    tx.forget_blobs(&condemned).await?;
                    tx.audit(&by_system(entry(now, "attachment.remove", None, condemned.len() as u64))).await
                })
            });
            forget.await?;
        }
    }

    /// Puts a job in the outbox for when the next thing must go, if there is any.
    async fn come_again(&self, user: &UserId) -> Result<()> {
        let now = self.clock.now();
        let (job, limits) = (self.ids.new_id(now), self.defaults.attachments.clone());
        let again = self.vaults.transact_existing(user, "attachment.later", move |tx| {
            let limits = limits.clone();
            Box::pin(async move {
                let pending = tx.as_reader().pending_blobs(1).await?;
                let due = [
                    pending.oldest_staged.map(|at| at.plus(limits.upload_within)),
                    pending.oldest_unreferenced.map(|at| at.plus(limits.unreferenced_for)),
                ];
                let Some(due) = due.into_iter().flatten().min() else { return Ok(()) };
                let after_s = due.since(now).max(Span(0)).0.unsigned_abs().div_ceil(1_000_000) + 1;
                enqueue(tx, job, after_s, now).await
            })
        });
        again.await.map(drop)
    }

    /// Removes what no row knows, and counts rows without their bytes.
    async fn compare(&self, user: &UserId, blobs: &Arc<dyn Blobs>, tidied: &mut Tidied) -> Result<()> {
        // What began to be written after the rows were read is not known either: only what is older than any upload that
        // may still be under way goes.
        let before = self.clock.now().minus(self.defaults.attachments.upload_within);
        let (mut known, mut after) = (Vec::new(), None);
        loop {
            let page = self.vaults.read(user, move |reader| Box::pin(reader.blobs(after, PAGE)));
            let page = page.await?;
            after = page.last().map(|(blob, _)| *blob);
            let whole = page.len() >= PAGE;
            known.extend(page);
            if !whole {
                break;
            }
        }
        let ids: Vec<BlobId> = known.iter().map(|(blob, _)| *blob).collect();
        let found = blobs.tidy(user, &ids, before).await?;
        let must = |blob: &&BlobId| known.iter().any(|(known, must)| known == *blob && *must);
        tidied.strays = found.removed;
        tidied.missing = found.missing.iter().filter(must).count() as u64;
        Ok(())
    }
}

async fn enqueue(tx: &mut dyn VaultTransaction, job: uuid::Uuid, after_s: u64, now: Timestamp) -> Result<()> {
    tx.enqueue(job, &Job::Attachments { after_s }, now, None).await
}

pub(super) fn by_system(entry: AuditEntry) -> AuditEntry {
    AuditEntry { actor: Actor::System, ..entry }
}
