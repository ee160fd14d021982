//! Streams the bytes of an attachment to the caller.

use std::fmt;

use super::LOOK_EVERY;
use super::find::first;
use crate::attachments::Attachment;
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{AttachmentId, UserId};
use crate::ports::{AttachmentQuery, BlobReader};
use crate::usecases::App;

/// A download in progress.
pub struct Download {
    app: App,
    user: UserId,
    /// The attachment being read.
    pub attachment: Attachment,
    /// Offset of the next piece, in bytes.
    pub offset: u64,
    /// Offset at which access is checked again, in bytes.
    look_at: u64,
    /// Whether the attachment may belong to withheld memories only.
    withheld_too: bool,
    reader: Box<dyn BlobReader>,
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download")
            .field("id", &self.attachment.id)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

impl App {
    /// Begins to read an attachment that the caller sees, from the byte at `offset` on.
    #[boxed]
    pub async fn download(&self, user: &UserId, id: AttachmentId, offset: u64) -> Result<Download> {
        let attachment = self.get_attachment(user, id).await?;
        let size = attachment.facts.size_bytes;
        if offset > size {
            let problem = format!("is {offset}, but the attachment has {size} bytes; 0 to that number are allowed");
            return Err(Error::conflict("offset", problem));
        }
        let reader = self.blobs()?.open(user, attachment.blob, offset).await?;
        let missing = || Error::storage(StorageFailure::Corrupt, format!("the bytes of {id} are missing"));
        Ok(Download::over((self, user), attachment, offset, reader.ok_or_else(missing)?))
    }
}

impl Download {
    /// Reads a user's attachment from `offset` on, where the reader begins.
    fn over((app, user): (&App, &UserId), attachment: Attachment, offset: u64, reader: Box<dyn BlobReader>) -> Self {
        let (app, user, look_at) = (app.clone(), user.clone(), offset.saturating_add(LOOK_EVERY));
        Self { app, user, attachment, offset, look_at, withheld_too: false, reader }
    }

    /// Reads all bytes of an attachment, which may belong to withheld memories only.
    pub(super) fn whole(of: (&App, &UserId), attachment: Attachment, reader: Box<dyn BlobReader>) -> Self {
        Self { withheld_too: true, ..Self::over(of, attachment, 0, reader) }
    }

    /// Fails with [`Error::NotFound`] if the caller can no longer see the attachment.
    async fn look_again(&mut self) -> Result<()> {
        let (app, user, id) = (self.app.clone(), self.user.clone(), self.attachment.id);
        if !self.withheld_too {
            return app.get_attachment(&user, id).await.map(drop);
        }
        let there = first(&app, &user, AttachmentQuery::Ids(vec![id])).await?;
        there.filter(|there| !there.memories.is_empty()).map(drop).ok_or_else(|| Error::attachment_not_found(id))
    }

    /// Returns the next bytes; `None` at the end. Fails with [`Error::NotFound`] if the attachment was erased or
    /// withheld meanwhile: at most a few more pieces come after that.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.offset >= self.look_at {
            self.look_again().await?;
            self.look_at = self.offset.saturating_add(LOOK_EVERY);
        }
        let piece = match self.reader.next().await {
            Ok(piece) => piece,
            Err(failed) => {
                // An attachment that is being removed may look damaged.
                self.look_again().await?;
                return Err(named(failed, self.attachment.id));
            }
        };
        let size = self.attachment.facts.size_bytes;
        match &piece {
            Some(bytes) => self.offset += bytes.len() as u64,
            None if self.offset == size => {}
            None => {
                let told = format!("the bytes of {} end at {}, not at {size}", self.attachment.id, self.offset);
                return Err(Error::storage(StorageFailure::Corrupt, told));
            }
        }
        Ok(piece)
    }
}

/// Adds the attachment's id to an error about damage.
fn named(error: Error, id: AttachmentId) -> Error {
    match error {
        Error::Storage { failure: StorageFailure::Corrupt, detail } => {
            Error::storage(StorageFailure::Corrupt, format!("{id}: {detail}"))
        }
        other => other,
    }
}
