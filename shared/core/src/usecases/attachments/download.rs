//! Gives the bytes of an attachment out.

use std::fmt;

use super::LOOK_EVERY;
use crate::attachments::Attachment;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{AttachmentId, UserId};
use crate::ports::BlobReader;
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
            return Err(Error::invalid("offset", problem));
        }
        let reader = self.blobs()?.open(user, attachment.blob, offset).await?;
        let missing =
            || Error::storage(StorageFailure::Corrupt, format!("the bytes of {id} are not where they should be"));
        let (app, user, look_at) = (self.clone(), user.clone(), offset.saturating_add(LOOK_EVERY));
        Ok(Download { app, user, attachment, offset, look_at, reader: reader.ok_or_else(missing)? })
    }
}

impl Download {
    /// Fails unless the caller still sees it.
    async fn look(&self) -> Result<()> {
        self.app.get_attachment(&self.user, self.attachment.id).await.map(drop)
    }

    /// The next bytes; `None` when all have come. [`Error::NotFound`] if the attachment was erased or withheld meanwhile:
    /// at most a few pieces come after that.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if self.offset >= self.look_at {
            self.look().await?;
            self.look_at = self.offset.saturating_add(LOOK_EVERY);
        }
        let piece = match self.reader.next().await {
            Ok(piece) => piece,
            Err(failed) => {
                // What is being removed may look damaged.
                self.look().await?;
                return Err(failed);
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
