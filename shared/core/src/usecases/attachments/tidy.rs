//! Removes bytes that nothing refers to: condemned blobs at once, attachments that never had a memory and interrupted
//! uploads after a while, and now and then what no row knows.

use std::sync::Arc;

use crate::attachments::PendingBlobs;
use crate::audit::{Actor, AuditEntry};
use crate::boxed;
use crate::error::Result;
use crate::ids::{BlobId, UserId};
use crate::ports::{Blobs, Job, VaultTransaction};
use crate::time::{Span, Timestamp};
use crate::usecases::App;
use crate::usecases::support::entry;

/// Blobs removed per transaction.
const BATCH: usize = 100;
/// Blob rows per page.
const PAGE: usize = 1_000;

/// Counts of a tidy run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tidied {
    /// Attachments whose bytes were sealed.
    pub sealed: u64,
    /// Attachments whose bytes could not be sealed.
    pub unsealed: u64,
    /// Attachments removed because they never had a memory.
    pub expired: u64,
    /// Blobs whose bytes were removed.
    pub removed: u64,
    /// Stored objects that no row knew.
    pub strays: u64,
    /// Blobs whose bytes are missing.
    pub missing: u64,
}

impl App {
    /// Removes the bytes of condemned blobs now; reports whether that succeeded. Failures are left to the job that was
    /// enqueued when the blobs were condemned.
    #[boxed]
    pub async fn remove_condemned(&self, user: &UserId) -> bool {
        let Some(blobs) = &self.blobs else { return true };
        self.remove_all_condemned(user, blobs).await.is_ok()
    }

    /// Removes what is due, and with `thoroughly` also what no row knows. Enqueues a job for what is due later. May be
    /// interrupted and repeated.
    #[boxed]
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

    /// Enqueues a job for the time when the next blob is due, if there is any.
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

    /// Removes stored objects that no row knows, and counts rows whose bytes are missing.
    async fn compare(&self, user: &UserId, blobs: &Arc<dyn Blobs>, tidied: &mut Tidied) -> Result<()> {
        // An upload that began after the rows were read is unknown, too. So only objects older than any upload that may
        // still be in progress are removed.
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
