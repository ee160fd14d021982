//! Gives the bytes of an attachment out.

use std::fmt;

use super::LOOK_EVERY;
use super::export::first;
use crate::attachments::Attachment;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{AttachmentId, UserId};
use crate::ports::{AttachmentQuery, BlobReader};
use crate::usecases::App;

/// An attachment that is being read.
pub struct Download {
    app: App,
    user: UserId,
    /// What it is.
    pub attachment: Attachment,
    /// Where the next piece begins.
    pub offset: u64,
    /// Where it looks again.
    look_at: u64,
    /// Whether it may hang on withheld memories alone.
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
    pub async fn download(&self, user: &UserId, id: AttachmentId, offset: u64) -> Result<Download> {
        let attachment = self.get_attachment(user, id).await?;
        let size = attachment.facts.size_bytes;
        if offset > size {
            let problem =
                format!("is {offset}, but the attachment has {size} bytes; begin at one of them or at its end");
            return Err(Error::conflict("offset", problem));
        }
        let reader = self.blobs()?.open(user, attachment.blob, offset).await?;
        let missing =
            || Error::storage(StorageFailure::Corrupt, format!("the bytes of {id} are not where they should be"));
        Ok(Download::over((self, user), attachment, offset, reader.ok_or_else(missing)?))
    }
}

impl Download {
    /// The bytes of an attachment of a user from the one at `offset` on, where the reader begins.
    fn over((app, user): (&App, &UserId), attachment: Attachment, offset: u64, reader: Box<dyn BlobReader>) -> Self {
        let (app, user, look_at) = (app.clone(), user.clone(), offset.saturating_add(LOOK_EVERY));
        Self { app, user, attachment, offset, look_at, withheld_too: false, reader }
    }

    /// All bytes of an attachment, which may hang on withheld memories alone.
    pub(super) fn whole(of: (&App, &UserId), attachment: Attachment, reader: Box<dyn BlobReader>) -> Self {
        Self { withheld_too: true, ..Self::over(of, attachment, 0, reader) }
    }

    /// Fails with [`Error::NotFound`] if the attachment is not there any more for who reads it.
    async fn look_again(&mut self) -> Result<()> {
        let (app, user, id) = (self.app.clone(), self.user.clone(), self.attachment.id);
        if !self.withheld_too {
            return app.get_attachment(&user, id).await.map(drop);
        }
        let there = first(&app, &user, AttachmentQuery::Ids(vec![id])).await?;
        there.filter(|there| !there.memories.is_empty()).map(drop).ok_or_else(|| Error::attachment_not_found(id))
    }

    /// The next bytes; `None` when all have come. [`Error::NotFound`] if the attachment was erased or withheld meanwhile:
    /// at most a few pieces come after that.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.offset >= self.look_at {
            self.look_again().await?;
            self.look_at = self.offset.saturating_add(LOOK_EVERY);
        }
        let piece = match self.reader.next().await {
            Ok(piece) => piece,
            Err(failed) => {
                // What is being removed may look damaged.
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

/// What is damaged is named, so that it can be found.
fn named(error: Error, id: AttachmentId) -> Error {
    match error {
        Error::Storage { failure: StorageFailure::Corrupt, detail } => {
            Error::storage(StorageFailure::Corrupt, format!("{id}: {detail}"))
        }
        other => other,
    }
}
