//! Hangs an attachment on a memory, and takes it off.

use super::seal::seal_later;
use super::seen;
use crate::attachments::Attachment;
use crate::bounds::{MAX_ATTACHMENTS_PER_MEMORY, MAX_MEMORIES_PER_ATTACHMENT};
use crate::error::{Error, Result};
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::meditation::forget_read;
use crate::ports::{AttachmentQuery, VaultTransaction};
use crate::tagging::forget;
use crate::usecases::App;
use crate::usecases::support::{entry, load};

impl App {
    /// Hangs an attachment that the caller sees on a memory that he reaches; doing it again changes nothing. Returns the
    /// attachment as it is then.
    pub async fn attach(&self, user: &UserId, memory: MemoryId, id: AttachmentId) -> Result<Attachment> {
        let now = self.clock.now();
        let (seals, job) = (self.seals(), self.ids.new_id(now));
        let attach = self.vaults.transact(user, "attachment.attach", move |tx| {
            Box::pin(async move {
                // Before the attachment, so that a memory out of reach is refused as one that is not there.
                load(tx, memory).await?;
                if !hang_seen(tx, memory, id).await? {
                    return Ok((seen(tx.as_reader(), id).await?, false));
                }
                tx.audit(&entry(now, "attachment.attach", Some(id.to_string()), 1)).await?;
                let to_seal = seal_later(tx, (seals, job), now).await?;
                Ok((seen(tx.as_reader(), id).await?, to_seal))
            })
        });
        let (attached, to_seal) = attach.await?;
        if to_seal {
            // At once, if that can be done; what this does not come to, or may not do, is done by the job.
            let _ = self.seal_attachments(user).await;
        }
        Ok(attached)
    }

    /// Takes an attachment off a memory. With its last memory it goes, and its bytes with it. [`Error::NotFound`] if it
    /// does not hang there.
    pub async fn detach(&self, user: &UserId, memory: MemoryId, id: AttachmentId) -> Result<()> {
        let now = self.clock.now();
        let detach = self.vaults.transact(user, "attachment.detach", move |tx| {
            Box::pin(async move {
                let memory = load(tx, memory).await?;
                if !tx.detach(memory.seq, id, now).await? {
                    return Err(Error::attachment_not_found(id));
                }
                // Its name may be in tags.
                forget(tx, &[memory.id]).await?;
                forget_read(tx).await?;
                tx.audit(&entry(now, "attachment.detach", Some(id.to_string()), 1)).await
            })
        });
        detach.await?;
        self.remove_condemned(user).await;
        Ok(())
    }
}

/// Hangs an attachment that the caller sees on a memory, unless it hangs there; whether it did.
pub(in crate::usecases) async fn hang_seen(
    tx: &mut dyn VaultTransaction,
    memory: MemoryId,
    id: AttachmentId,
) -> Result<bool> {
    let found = seen(tx.as_reader(), id).await?;
    if found.memories.contains(&memory) {
        return Ok(false);
    }
    if found.memories.len() >= MAX_MEMORIES_PER_ATTACHMENT {
        return Err(Error::LimitReached { what: "memories of this attachment", limit: MAX_MEMORIES_PER_ATTACHMENT });
    }
    hang(tx, memory, id).await?;
    Ok(true)
}

/// Hangs it on a memory, unless too many hang there.
pub(super) async fn hang(tx: &mut dyn VaultTransaction, memory: MemoryId, id: AttachmentId) -> Result<()> {
    let memory = load(tx, memory).await?;
    let hanging = tx.as_reader().attachments(&AttachmentQuery::OfMemory(memory.seq)).await?;
    if hanging.len() >= MAX_ATTACHMENTS_PER_MEMORY {
        return Err(Error::LimitReached { what: "attachments of this memory", limit: MAX_ATTACHMENTS_PER_MEMORY });
    }
    tx.attach(memory.seq, id).await?;
    // What hangs on several memories gives none of them tags.
    let hung = tx.as_reader().attachments(&AttachmentQuery::Ids(vec![id])).await?;
    let memories: Vec<MemoryId> = hung.into_iter().flat_map(|one| one.memories).collect();
    forget(tx, &memories).await
}
