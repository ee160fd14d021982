//! Seals the bytes of attachments of sensitive memories that lie under the attachment key: because they were uploaded for
//! no memory or for another one, because a memory became sensitive, or because there was no encryption when they came.
//!
//! The bytes are written again, under the sensitive key, and the attachment then refers to the new blob. The old blob
//! is removed with the last attachment that uses it. After an interruption, the next run finds what is left: the
//! attachments themselves are the list.
//!
//! Sealing is one-way: bytes stay sealed when a memory is no longer sensitive. Rotating a ring rewraps keys and touches no bytes.

use super::receiving::{Staged, Unsettled};
use crate::attachments::Attachment;
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{BlobId, UserId};
use crate::ports::{AttachmentQuery, Job, VaultTransaction};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::attachments::tidy::by_system;
use crate::usecases::support::entry;

/// Attachments per query.
const BATCH: usize = 64;

impl App {
    /// Reports whether sensitive attachments have a separate key.
    pub(in crate::usecases) fn seals(&self) -> bool {
        self.blobs.as_ref().is_some_and(|blobs| blobs.seals())
    }

    /// Seals unsealed attachments of sensitive memories. Returns how many it sealed, and how many it could not, as
    /// their bytes are damaged or the disk is full. Failures do not hold up the others.
    #[boxed]
    pub async fn seal_attachments(&self, user: &UserId) -> Result<(u64, u64)> {
        let (mut sealed, mut failed) = (0, Vec::new());
        if !self.seals() {
            return Ok((sealed, 0));
        }
        loop {
            let query = AttachmentQuery::ToSeal(BATCH + failed.len());
            let read = self.vaults.read(user, move |reader| {
                let query = query.clone();
                Box::pin(async move { reader.every_attachment(&query).await })
            });
            let mut found = read.await?;
            found.retain(|attachment| !failed.contains(&attachment.id));
            if found.is_empty() {
                return Ok((sealed, failed.len() as u64));
            }
            for attachment in found {
                let id = attachment.id;
                match self.seal_one(user, attachment).await {
                    Ok(()) => sealed += 1,
                    Err(_) => failed.push(id),
                }
            }
        }
    }

    /// Writes an attachment's bytes again under the sensitive key, and makes the attachment refer to them.
    async fn seal_one(&self, user: &UserId, attachment: Attachment) -> Result<()> {
        let now = self.clock.now();
        let blob = BlobId(self.ids.new_id(now));
        let stage = self.vaults.transact_existing(user, "attachment.seal", move |tx| {
            // Reserves no room: the new blob replaces the old one.
            Box::pin(async move { tx.stage_blob(blob, 0, true, now).await })
        });
        stage.await?.ok_or(Error::UploadGone)?;
        let staged = Staged { blob, at: now, held: 0, sealed: true };
        let (written, unsettled) = self.copy(user, &attachment, staged).await?;
        let (id, plain) = (attachment.id, attachment.blob);
        let put = self.vaults.transact_existing(user, "attachment.seal", move |tx| {
            Box::pin(async move {
                let stored = tx.store_blob(blob, &written).await?.ok_or(Error::UploadGone)?;
                let there = tx.every_attachment(&AttachmentQuery::Ids(vec![id])).await?;
                // Erased since, or sealed by another process.
                if there.first().is_none_or(|there| there.blob != plain) {
                    return Ok(None);
                }
                tx.move_attachment(id, stored).await?;
                tx.audit(&by_system(entry(now, "attachment.seal", Some(id.to_string()), 1))).await?;
                Ok(Some(stored))
            })
        });
        let put = put.await.and_then(|put| put.ok_or(Error::UploadGone));
        unsettled.settle(put.as_ref().map(|kept| *kept)).await;
        put?;
        self.remove_condemned(user).await;
        Ok(())
    }

    /// Copies an attachment's bytes into a blob, and checks their size and hash.
    async fn copy(
        &self,
        user: &UserId,
        attachment: &Attachment,
        staged: Staged,
    ) -> Result<(crate::attachments::BlobFacts, Unsettled)> {
        let blobs = self.blobs()?;
        let corrupt =
            |what: &str| Error::storage(StorageFailure::Corrupt, format!("the bytes of {} {what}", attachment.id));
        let writer = blobs.begin(user, staged.blob, true).await?;
        let mut unsettled = Unsettled::new(self, user, staged.blob, writer);
        let copied = async {
            let reader = blobs.open(user, attachment.blob, 0).await?;
            let mut reader = reader.ok_or_else(|| corrupt("are not where they should be"))?;
            while let Some(bytes) = reader.next().await? {
                unsettled.writer.write(&bytes).await?;
            }
            let written = unsettled.writer.finish().await?;
            let same = (written.sha256, written.size_bytes) == (attachment.facts.sha256, attachment.facts.size_bytes);
            if same { Ok(written) } else { Err(corrupt("differ from the uploaded ones")) }
        };
        match copied.await {
            Ok(written) => Ok((written, unsettled)),
            Err(error) => {
                // The row stays until it expires. Condemning it now would enqueue a job that tries again at once, forever.
                unsettled.discard().await;
                Err(error)
            }
        }
    }
}

/// Enqueues a job that seals attachments of sensitive memories, if the caller sees one that is unsealed; reports whether it did.
pub(in crate::usecases) async fn seal_later(
    tx: &mut dyn VaultTransaction,
    (seals, job): (bool, uuid::Uuid),
    now: Timestamp,
) -> Result<bool> {
    if !seals || tx.attachments(&AttachmentQuery::ToSeal(1)).await?.is_empty() {
        return Ok(false);
    }
    tx.enqueue(job, &Job::Attachments { after_s: 0 }, now, None).await?;
    Ok(true)
}
