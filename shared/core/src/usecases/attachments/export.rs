//! Exports all attachments with their bytes, one after the other, oldest first.
//!
//! Each is looked up when its turn comes, so nothing is held between them. One that disappears before its bytes are opened is skipped.

use super::Download;
use super::find::first;
use crate::attachments::Attachment;
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{AttachmentId, UserId};
use crate::ports::AttachmentQuery;
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::Scope;

/// An export in progress.
pub struct AttachmentExport {
    app: App,
    user: UserId,
    scope: Scope,
    after: Option<(Timestamp, AttachmentId)>,
    open: Option<Download>,
}

/// A step of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportedAttachment {
    /// The next attachment; its bytes follow.
    Begins(Attachment),
    /// The next bytes.
    Piece(Vec<u8>),
    /// The attachment is complete. An export that starts with this cursor continues after it.
    Ends(String),
}

impl App {
    /// Begins an export of all attachments of memories, withheld ones too, or resumes one at `cursor`. Fails if the
    /// cursor was made for another user.
    pub fn export_attachments(&self, user: &UserId, cursor: &str) -> Result<AttachmentExport> {
        let scope = Scope::new("attachment.export", user, &())?;
        let after = scope.cursor_key(cursor)?;
        Ok(AttachmentExport { app: self.clone(), user: user.clone(), scope, after, open: None })
    }
}

impl AttachmentExport {
    /// Returns the next step; `None` at the end. An attachment that is erased while it is read has no `Ends`: the next
    /// one begins, or the export ends.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<ExportedAttachment>> {
        while let Some(download) = &mut self.open {
            let key = (download.attachment.created_at, download.attachment.id);
            let ended = match download.next().await {
                Ok(Some(bytes)) => return Ok(Some(ExportedAttachment::Piece(bytes))),
                Ok(None) => true,
                Err(Error::NotFound { .. }) => false,
                Err(failed) => return Err(failed),
            };
            (self.after, self.open) = (Some(key), None);
            if ended {
                return Ok(Some(ExportedAttachment::Ends(self.scope.token(&key)?)));
            }
        }
        let begun = self.begin().await?;
        Ok(begun.map(|download| {
            let attachment = download.attachment.clone();
            self.open = Some(download);
            ExportedAttachment::Begins(attachment)
        }))
    }

    /// Opens the next attachment.
    async fn begin(&mut self) -> Result<Option<Download>> {
        let (app, user) = (self.app.clone(), self.user.clone());
        let blobs = app.blobs()?;
        loop {
            let next = first(&app, &user, AttachmentQuery::Page { after: self.after, limit: 1 });
            let Some(attachment) = next.await? else { return Ok(None) };
            let (id, key) = (attachment.id, (attachment.created_at, attachment.id));
            if !attachment.memories.is_empty() {
                if let Some(reader) = blobs.open(&user, attachment.blob, 0).await? {
                    return Ok(Some(Download::whole((&app, &user), attachment, reader)));
                }
                let there = first(&app, &user, AttachmentQuery::Ids(vec![id])).await?;
                if there.is_some_and(|there| !there.memories.is_empty()) {
                    let problem = format!("the bytes of {id} are missing");
                    return Err(Error::storage(StorageFailure::Corrupt, problem));
                }
            }
            self.after = Some(key);
        }
    }
}
