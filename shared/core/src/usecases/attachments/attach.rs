//! Attaches an attachment to a memory, and detaches it.

use super::seal::seal_later;
use super::seen;
use crate::attachments::Attachment;
use crate::bounds::{MAX_ATTACHMENTS_PER_MEMORY, MAX_MEMORIES_PER_ATTACHMENT};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::meditation::forget_read;
use crate::ports::{AttachmentQuery, VaultTransaction};
use crate::tagging::forget;
use crate::usecases::App;
use crate::usecases::support::{entry, load};

impl App {
    /// Attaches an attachment that the caller sees to a memory within their reach. Repeating it changes nothing.
    /// Returns the updated attachment.
    #[boxed]
    pub async fn attach(&self, user: &UserId, memory: MemoryId, id: AttachmentId) -> Result<Attachment> {
        let now = self.clock.now();
        let (seals, job) = (self.seals(), self.ids.new_id(now));
        let attach = self.vaults.transact(user, "attachment.attach", move |tx| {
            Box::pin(async move {
                // Load the memory first: one out of reach is refused like one that does not exist.
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
            // Seal at once if possible. The job does what this cannot, or may not, do.
            let _ = self.seal_attachments(user).await;
        }
        Ok(attached)
    }

    /// Detaches an attachment from a memory. Without a memory left, it is removed with its bytes. Fails with
    /// [`Error::NotFound`] if it is not attached there.
    #[boxed]
    pub async fn detach(&self, user: &UserId, memory: MemoryId, id: AttachmentId) -> Result<()> {
        let now = self.clock.now();
        let detach = self.vaults.transact(user, "attachment.detach", move |tx| {
            Box::pin(async move {
                let memory = load(tx, memory).await?;
                if !tx.detach(memory.seq, id, now).await? {
                    return Err(Error::attachment_not_found(id));
                }
                // Its name may have given the memory tags.
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

/// Attaches an attachment that the caller sees, unless it is attached already; reports whether it did.
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

/// Attaches it to a memory, unless that has too many attachments.
pub(super) async fn hang(tx: &mut dyn VaultTransaction, memory: MemoryId, id: AttachmentId) -> Result<()> {
    let memory = load(tx, memory).await?;
    let hanging = tx.as_reader().attachments(&AttachmentQuery::OfMemory(memory.seq)).await?;
    if hanging.len() >= MAX_ATTACHMENTS_PER_MEMORY {
        return Err(Error::LimitReached { what: "attachments of this memory", limit: MAX_ATTACHMENTS_PER_MEMORY });
    }
    tx.attach(memory.seq, id).await?;
    // An attachment of several memories gives tags to none of them.
    let hung = tx.as_reader().attachments(&AttachmentQuery::Ids(vec![id])).await?;
    let memories: Vec<MemoryId> = hung.into_iter().flat_map(|one| one.memories).collect();
    forget(tx, &memories).await
}
