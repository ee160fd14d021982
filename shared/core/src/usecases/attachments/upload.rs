//! Takes the bytes of an attachment in.
//!
//! The vault knows of the bytes before there are any: a row says that they are coming, and a job that looks for rows whose
//! bytes never came goes with it. Then the bytes are written, and one transaction makes an attachment of them, or, should
//! they be there already, of those and condemns these. So whatever is cut where, some row or job leads to what is left; and
//! what is not kept because there is no row any more, as the user was purged meanwhile, is removed by who has written it.

use std::fmt;

use super::attach::hang;
use super::{LOOK_EVERY, seen};
use crate::attachments::{Attachment, AttachmentDraft, AttachmentLimits, AttachmentUsage, BlobFacts, NewAttachment};
use crate::bounds::MAX_ATTACHMENTS;
use crate::error::{Error, Result};
use crate::ids::{AttachmentId, BlobId, MemoryId, UserId};
use crate::ports::{BlobWriter, Job, VaultTransaction};
use crate::time::{Span, Timestamp};
use crate::usecases::App;
use crate::usecases::support::{entry, load};

/// What will come.
#[derive(Clone, Debug, Default)]
pub struct UploadInput {
    /// What the caller says of it.
    pub draft: AttachmentDraft,
    /// The memory that it is to hang on, if any yet.
    pub memory: Option<MemoryId>,
}

/// An upload that has begun. Ended by [`finish`](Self::finish) or [`abandon`](Self::abandon).
pub struct Upload {
    app: App,
    user: UserId,
    draft: AttachmentDraft,
    memory: Option<MemoryId>,
    blob: BlobId,
    /// Bytes that came.
    received: u64,
    /// Bytes that all blobs held when it began, those on their way among them.
    held: u64,
    /// When it must have ended.
    until: Timestamp,
    writer: Box<dyn BlobWriter>,
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload").field("blob", &self.blob).field("received", &self.received).finish_non_exhaustive()
    }
}

impl App {
    /// Begins an upload, unless what is announced may not be kept. Counts the content as new, so that a refusal does not
    /// say whether it is there already.
    pub async fn begin_upload(&self, user: &UserId, input: UploadInput) -> Result<Upload> {
        let blobs = self.blobs()?;
        let draft = input.draft.normalized(&self.defaults.attachments)?;
        let now = self.clock.now();
        let (blob, job) = (BlobId(self.ids.new_id(now)), self.ids.new_id(now));
        let (limits, announced, memory) = (self.defaults.attachments.clone(), draft.size_bytes, input.memory);
        let begin = self.vaults.transact(user, "attachment.begin", move |tx| {
            let limits = limits.clone();
            Box::pin(async move {
                if let Some(memory) = memory {
                    load(tx, memory).await?;
                }
                let usage = usage(tx).await?;
                let held = usage.bytes.saturating_add(usage.coming_bytes);
                check_room(&limits, held, announced.unwrap_or_default())?;
                // What does not say its size may become as large as there is room for, and keeps that room until it has ended.
                let left = limits.allowance_bytes.saturating_sub(held);
                let most = announced.unwrap_or_else(|| limits.max_bytes.min(left));
                if tx.as_reader().pending_blobs(1).await?.oldest_staged.is_none() {
                    let after_s = limits.upload_within.0.unsigned_abs().div_ceil(1_000_000) + 1;
                    tx.enqueue(job, &Job::Attachments { after_s }, now, None).await?;
                }
                tx.stage_blob(blob, most, now).await?;
                Ok(held)
            })
        });
        let held = begin.await?;
        let writer = match blobs.begin(user, blob).await {
            Ok(writer) => writer,
            Err(error) => {
                self.condemn(user, blob).await;
                return Err(error);
            }
        };
        let until = now.plus(self.defaults.attachments.upload_within);
        Ok(Upload { app: self.clone(), user: user.clone(), draft, memory, blob, received: 0, held, until, writer })
    }

    /// Condemns what an upload left, and removes it. What cannot be removed now goes later.
    async fn condemn(&self, user: &UserId, blob: BlobId) {
        if !self.is_coming(user).await.unwrap_or_default() {
            return;
        }
        let now = self.clock.now();
        let condemn = self.vaults.transact(user, "attachment.abandon", move |tx| {
            Box::pin(async move {
                tx.condemn_blob(blob, now).await?;
                tx.audit(&entry(now, "attachment.abandon", None, 1)).await
            })
        });
        if condemn.await.is_ok() {
            self.remove_condemned(user).await;
        }
    }

    /// Whether the vault knows of any upload. A write would make a vault for a user who has none, or none any more: what he
    /// was purged of would begin anew with what an upload from before still does.
    async fn is_coming(&self, user: &UserId) -> Result<bool> {
        Ok(self.pending(user).await?.oldest_staged.is_some())
    }
}

impl Upload {
    /// How much time there is left to end it; none once it is over.
    pub fn left(&self) -> Span {
        self.until.since(self.app.clock.now()).max(Span(0))
    }

    /// Takes the next bytes, unless they are too many or come too late.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let limits = &self.app.defaults.attachments;
        let received = self.received.saturating_add(bytes.len() as u64);
        limits.check_size("piece", received)?;
        if self.draft.size_bytes.is_some_and(|announced| received > announced) {
            let problem = format!("is less than the {received} bytes that came; nothing is kept, upload it anew");
            return Err(Error::invalid("start.size_bytes", problem));
        }
        check_room(limits, self.held, received).map_err(|error| self.without_figures(error))?;
        // What is left of it is removed by then, and what its user was purged of goes no further.
        let looks = received / LOOK_EVERY > self.received / LOOK_EVERY;
        if self.left() == Span(0) || (looks && !self.app.is_coming(&self.user).await?) {
            return Err(Error::UploadGone);
        }
        self.writer.write(bytes).await?;
        self.received = received;
        Ok(())
    }

    /// For who reaches only some memories: what the others hold is not told.
    fn without_figures(&self, error: Error) -> Error {
        match error {
            Error::AttachmentsFull { limit, requested, .. } if self.app.is_limited() => {
                Error::AttachmentsFull { used: None, limit, requested }
            }
            other => other,
        }
    }

    /// Makes an attachment of what came.
    pub async fn finish(self) -> Result<Attachment> {
        let Self { app, user, draft, memory, blob, mut writer, .. } = self;
        let done = async {
            let facts = writer.finish().await?;
            draft.check(&facts)?;
            keep(&app, &user, (draft, memory), (blob, facts)).await
        };
        let done = done.await;
        match &done {
            Ok(attachment) if attachment.blob == blob => {}
            // Another one holds the same content.
            Ok(_) => {
                discard(writer).await;
                app.remove_condemned(&user).await;
            }
            Err(_) => {
                discard(writer).await;
                app.condemn(&user, blob).await;
            }
        }
        done
    }

    /// Ends it without keeping anything.
    pub async fn abandon(self) {
        let Self { app, user, blob, writer, .. } = self;
        discard(writer).await;
        app.condemn(&user, blob).await;
    }
}

/// Removes what was written, whatever the vault says: if the user was purged meanwhile, or the upload took too long, no row
/// leads there. What cannot be removed now is left to those that do.
async fn discard(writer: Box<dyn BlobWriter>) {
    let _ = writer.discard().await;
}

/// The transaction that ends an upload.
async fn keep(
    app: &App,
    user: &UserId,
    (draft, memory): (AttachmentDraft, Option<MemoryId>),
    (blob, facts): (BlobId, BlobFacts),
) -> Result<Attachment> {
    if !app.is_coming(user).await? {
        return Err(Error::UploadGone);
    }
    let now = app.clock.now();
    let id = AttachmentId(app.ids.new_id(now));
    let (name, media_type) = (draft.name, draft.media_type);
    let new = NewAttachment { id, blob, name, media_type, uploader: app.uploader(), created_at: now };
    let limits = app.defaults.attachments.clone();
    let keep = app.vaults.transact(user, "attachment.upload", move |tx| {
        let (new, limits) = (new.clone(), limits.clone());
        Box::pin(async move {
            let held = usage(tx).await?.bytes;
            let stored = tx.store_blob(blob, &facts).await?.ok_or(Error::UploadGone)?;
            if stored == blob {
                check_room(&limits, held, facts.size_bytes)?;
            }
            finish(tx, NewAttachment { blob: stored, ..new }, memory, now).await
        })
    });
    keep.await
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

/// What attachments hold, if there may be one more.
async fn usage(tx: &mut dyn VaultTransaction) -> Result<AttachmentUsage> {
    let usage = tx.as_reader().attachment_usage().await?;
    if usage.items >= MAX_ATTACHMENTS as u64 {
        return Err(Error::LimitReached { what: "attachments", limit: MAX_ATTACHMENTS });
    }
    Ok(usage)
}

fn check_room(limits: &AttachmentLimits, held: u64, more: u64) -> Result<()> {
    let limit = limits.allowance_bytes;
    if held.saturating_add(more) <= limit {
        return Ok(());
    }
    Err(Error::AttachmentsFull { used: Some(held), limit, requested: more })
}
