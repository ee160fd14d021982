//! Receives the bytes of an attachment.
//!
//! The vault learns of the bytes before any come: a row says that they are coming, and a job that looks for rows whose bytes
//! never came is enqueued with it. Then the bytes are written. One transaction makes an attachment of them or, if the vault
//! holds equal bytes already, of those, and condemns the new ones. So wherever an upload is interrupted, a row or a job
//! leads to what is left. If there is no row any more, because the user was purged meanwhile, the writer removes the bytes.

use super::attach::hang;
use super::receiving::{Announced, Came, Receiving};
use super::seal::seal_later;
use super::seen;
use crate::attachments::{Attachment, AttachmentDraft, NewAttachment};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{AttachmentId, MemoryId, UserId};
use crate::ports::VaultTransaction;
use crate::time::{Span, Timestamp};
use crate::usecases::App;
use crate::usecases::support::{entry, load};

/// An upload to begin.
#[derive(Clone, Debug, Default)]
pub struct UploadInput {
    /// The caller's description of the attachment.
    pub draft: AttachmentDraft,
    /// The memory to attach it to, if any yet.
    pub memory: Option<MemoryId>,
    /// Whether that memory will be sensitive, if it does not exist yet.
    pub sensitive: bool,
}

/// An upload in progress. End it with [`finish`](Self::finish) or [`abandon`](Self::abandon).
#[derive(Debug)]
pub struct Upload {
    receiving: Receiving,
    memory: Option<MemoryId>,
}

impl App {
    /// Begins an upload; fails if the announced attachment may not be stored. Counts the content as new, so that a refusal does
    /// not reveal whether the vault holds it already.
    #[boxed]
    pub async fn begin_upload(&self, user: &UserId, input: UploadInput) -> Result<Upload> {
        let draft = input.draft.normalized(&self.defaults.attachments)?;
        let (announced, memory, to_be) = (Announced::new(self, &draft), input.memory, input.sensitive);
        let seals = self.blobs()?.seals();
        let begin = self.vaults.transact(user, "attachment.begin", move |tx| {
            let announced = announced.clone();
            Box::pin(async move {
                let memory = match memory {
                    Some(memory) => Some(load(tx, memory).await?),
                    None => None,
                };
                let sensitive = to_be || memory.is_some_and(|memory| memory.draft.metadata.sensitive);
                announced.stage(tx, seals && sensitive).await
            })
        });
        let receiving = Receiving::begin(self, user, draft, begin.await?).await?;
        Ok(Upload { receiving, memory })
    }
}

impl Upload {
    /// Time left to end the upload; zero once it is over.
    pub fn left(&self) -> Span {
        self.receiving.left()
    }

    /// Takes the next bytes; fails if there are too many or they come too late.
    #[boxed]
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.receiving.write(bytes).await
    }

    /// Makes an attachment of the received bytes.
    #[boxed]
    pub async fn finish(self) -> Result<Attachment> {
        let (came, unsettled) = self.receiving.end().await?;
        let done = commit(came, self.memory).await;
        unsettled.settle(done.as_ref().map(|attachment| Some(attachment.blob))).await;
        done
    }

    /// Ends the upload without keeping anything.
    #[boxed]
    pub async fn abandon(self) {
        self.receiving.abandon().await;
    }
}

/// Ends an upload in one transaction.
async fn commit(came: Came, memory: Option<MemoryId>) -> Result<Attachment> {
    let Came { app, user, draft, blob, facts } = came;
    let now = app.clock.now();
    let new = NewAttachment {
        id: AttachmentId(app.ids.new_id(now)),
        blob,
        name: draft.name,
        media_type: draft.media_type,
        uploader: app.principal(),
        created_at: now,
    };
    let limits = app.defaults.attachments.clone();
    let (seals, job) = (app.seals(), app.ids.new_id(now));
    let commit = app.vaults.transact_existing(&user, "attachment.upload", move |tx| {
        let (new, limits) = (new.clone(), limits.clone());
        Box::pin(async move {
            let blob = Came::store(tx, &limits, (new.blob, facts)).await?;
            let done = finish(tx, NewAttachment { blob, ..new }, memory, now).await?;
            // The memory may have become sensitive since the upload began.
            seal_later(tx, (seals, job), now).await?;
            Ok(done)
        })
    });
    // An upload must not recreate a user who was purged meanwhile.
    commit.await?.ok_or(Error::UploadGone)
}

async fn finish(
    tx: &mut dyn VaultTransaction,
    new: NewAttachment,
    memory: Option<MemoryId>,
    now: Timestamp,
) -> Result<Attachment> {
    let id = new.id;
    tx.insert_attachment(&new).await?;
    if let Some(memory) = memory {
        hang(tx, memory, id).await?;
    }
    tx.audit(&entry(now, "attachment.upload", Some(id.to_string()), 1)).await?;
    seen(tx.as_reader(), id).await
}
