//! Bytes being received, and their removal if nothing refers to them in the end.

use std::fmt;

use super::LOOK_EVERY;
use crate::attachments::{AttachmentDraft, AttachmentLimits, AttachmentUsage, BlobFacts};
use crate::bounds::MAX_ATTACHMENTS;
use crate::error::{Error, Result};
use crate::ids::{BlobId, UserId};
use crate::ports::{BlobWriter, Job, VaultTransaction};
use crate::time::{Span, Timestamp};
use crate::usecases::App;
use crate::usecases::support::entry;

/// A blob that will be received.
#[derive(Clone, Debug)]
pub(super) struct Announced {
    blob: BlobId,
    job: uuid::Uuid,
    now: Timestamp,
    limits: AttachmentLimits,
    size_bytes: Option<u64>,
}

impl Announced {
    pub(super) fn new(app: &App, draft: &AttachmentDraft) -> Self {
        let now = app.clock.now();
        let (blob, job) = (BlobId(app.ids.new_id(now)), app.ids.new_id(now));
        let limits = app.defaults.attachments.clone();
        Self { blob, job, now, limits, size_bytes: draft.size_bytes }
    }

    /// Notes that the blob's bytes are coming, under the sensitive key if `sealed`; fails if there is no room. Counts
    /// them as new, so that a refusal does not reveal whether the vault holds them already.
    pub(super) async fn stage(&self, tx: &mut dyn VaultTransaction, sealed: bool) -> Result<Staged> {
        let usage = usage(tx).await?;
        let held = usage.bytes.saturating_add(usage.coming_bytes);
        check_room(&self.limits, held, self.size_bytes.unwrap_or_default())?;
        // Without a stated size, an upload may take all the room that is left, and reserves it until it ends.
        let left = self.limits.allowance_bytes.saturating_sub(held);
        let most = self.size_bytes.unwrap_or_else(|| self.limits.max_bytes.min(left));
        if tx.as_reader().pending_blobs(1).await?.oldest_staged.is_none() {
            let after_s = self.limits.upload_within.0.unsigned_abs().div_ceil(1_000_000) + 1;
            tx.enqueue(self.job, &Job::Attachments { after_s }, self.now, None).await?;
        }
        tx.stage_blob(self.blob, most, sealed, self.now).await?;
        Ok(Staged { blob: self.blob, at: self.now, held, sealed })
    }
}

/// A blob that the vault expects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staged {
    pub(super) blob: BlobId,
    /// When it was staged.
    pub(super) at: Timestamp,
    /// Bytes that all blobs held then, incoming ones included.
    pub(super) held: u64,
    /// Whether it is encrypted under the sensitive key.
    pub(super) sealed: bool,
}

/// A blob being received.
pub(super) struct Receiving {
    app: App,
    user: UserId,
    draft: AttachmentDraft,
    blob: BlobId,
    /// Bytes received so far.
    received: u64,
    /// Bytes that all blobs held when it began, incoming ones included.
    held: u64,
    /// Deadline.
    until: Timestamp,
    writer: Box<dyn BlobWriter>,
}

/// Received bytes that nothing refers to yet.
#[derive(Clone)]
pub(super) struct Came {
    pub(super) app: App,
    pub(super) user: UserId,
    pub(super) draft: AttachmentDraft,
    pub(super) blob: BlobId,
    pub(super) facts: BlobFacts,
}

/// Received bytes, which are either stored or removed. Finish with [`settle`](Self::settle) or [`discard`](Self::discard).
pub(super) struct Unsettled {
    app: App,
    user: UserId,
    blob: BlobId,
    pub(super) writer: Box<dyn BlobWriter>,
}

impl fmt::Debug for Receiving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiving").field("blob", &self.blob).field("received", &self.received).finish_non_exhaustive()
    }
}

impl Receiving {
    /// Begins to write a staged blob.
    pub(super) async fn begin(app: &App, user: &UserId, draft: AttachmentDraft, staged: Staged) -> Result<Self> {
        let Staged { blob, at, held, sealed } = staged;
        let writer = match app.blobs()?.begin(user, blob, sealed).await {
            Ok(writer) => writer,
            Err(error) => {
                app.condemn(user, blob).await;
                return Err(error);
            }
        };
        let until = at.plus(app.defaults.attachments.upload_within);
        Ok(Self { app: app.clone(), user: user.clone(), draft, blob, received: 0, held, until, writer })
    }

    /// Time left to end the upload; zero once it is over.
    pub(super) fn left(&self) -> Span {
        self.until.since(self.app.clock.now()).max(Span(0))
    }

    /// Takes the next bytes; fails if there are too many or they come too late.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let limits = &self.app.defaults.attachments;
        let received = self.received.saturating_add(bytes.len() as u64);
        limits.check_size("piece", received)?;
        if self.draft.size_bytes.is_some_and(|announced| received > announced) {
            let problem = format!("is less than the {received} bytes received; nothing was stored, upload it again");
            return Err(Error::invalid("start.size_bytes", problem));
        }
        check_room(limits, self.held, received).map_err(|error| self.without_figures(error))?;
        // After the deadline the leftovers are removed. The check stops the upload of a user who was purged.
        let looks = received / LOOK_EVERY > self.received / LOOK_EVERY;
        if self.left() == Span(0) || (looks && !self.app.is_coming(&self.user).await?) {
            return Err(Error::UploadGone);
        }
        self.writer.write(bytes).await?;
        self.received = received;
        Ok(())
    }

    /// Hides the bytes in use from callers who reach only some memories: they include what others hold.
    fn without_figures(&self, error: Error) -> Error {
        match error {
            Error::AttachmentsFull { limit, requested, .. } if self.app.is_limited() => {
                Error::AttachmentsFull { used: None, limit, requested }
            }
            other => other,
        }
    }

    /// Finishes the bytes. Fails, and stores nothing, if they are not the announced ones.
    pub(super) async fn end(self) -> Result<(Came, Unsettled)> {
        let Self { app, user, draft, blob, mut writer, .. } = self;
        let came = match writer.finish().await {
            Ok(facts) => draft.check(&facts).map(|()| facts),
            Err(failed) => Err(failed),
        };
        match came {
            Ok(facts) => {
                let unsettled = Unsettled { app: app.clone(), user: user.clone(), blob, writer };
                Ok((Came { app, user, draft, blob, facts }, unsettled))
            }
            Err(refused) => {
                discard(writer).await;
                app.condemn(&user, blob).await;
                Err(refused)
            }
        }
    }

    /// Ends the upload without keeping anything.
    pub(super) async fn abandon(self) {
        let Self { app, user, blob, writer, .. } = self;
        discard(writer).await;
        app.condemn(&user, blob).await;
    }
}

/// Removes what was written, whatever the vault says: after a purge or a timeout, no row leads to it. What cannot be
/// removed now is removed later, where a row leads to it.
async fn discard(writer: Box<dyn BlobWriter>) {
    let _ = writer.discard().await;
}

impl Came {
    /// Notes that the bytes are there, if there is room. Returns the blob that holds them: an older one if its bytes are equal.
    pub(super) async fn store(
        tx: &mut dyn VaultTransaction,
        limits: &AttachmentLimits,
        (blob, facts): (BlobId, BlobFacts),
    ) -> Result<BlobId> {
        let held = usage(tx).await?.bytes;
        let stored = tx.store_blob(blob, &facts).await?.ok_or(Error::UploadGone)?;
        if stored == blob {
            check_room(limits, held, facts.size_bytes)?;
        }
        Ok(stored)
    }
}

impl Unsettled {
    pub(super) fn new(app: &App, user: &UserId, blob: BlobId, writer: Box<dyn BlobWriter>) -> Self {
        Self { app: app.clone(), user: user.clone(), blob, writer }
    }

    /// Removes the bytes, and leaves their row until it expires.
    pub(super) async fn discard(self) {
        discard(self.writer).await;
    }

    /// Removes the bytes unless they were stored: another blob may hold the same content, or nothing may refer to it.
    pub(super) async fn settle(self, kept: std::result::Result<Option<BlobId>, &Error>) {
        let Self { app, user, blob, writer } = self;
        match kept {
            Ok(Some(kept)) if kept == blob => {}
            // Another blob was kept, and the transaction has condemned this one.
            Ok(Some(_)) => {
                discard(writer).await;
                app.remove_condemned(&user).await;
            }
            Ok(None) | Err(_) => {
                discard(writer).await;
                app.condemn(&user, blob).await;
            }
        }
    }
}

impl App {
    /// Condemns and removes what an upload left. What cannot be removed now is removed later.
    async fn condemn(&self, user: &UserId, blob: BlobId) {
        let now = self.clock.now();
        let condemn = self.vaults.transact_existing(user, "attachment.abandon", move |tx| {
            Box::pin(async move {
                // A purged user may have a new vault, which knows nothing of this upload.
                if tx.as_reader().pending_blobs(1).await?.oldest_staged.is_none() {
                    return Ok(());
                }
                tx.condemn_blob(blob, now).await?;
                tx.audit(&entry(now, "attachment.abandon", None, 1)).await
            })
        });
        if matches!(condemn.await, Ok(Some(()))) {
            self.remove_condemned(user).await;
        }
    }

    /// Reports whether the vault knows of any upload in progress.
    async fn is_coming(&self, user: &UserId) -> Result<bool> {
        Ok(self.pending(user).await?.oldest_staged.is_some())
    }
}

/// Returns what attachments hold; fails if there are too many to add one.
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
