//! Attachments: taken in and given out in streams, hung on memories, removed with the last of them.

mod attach;
mod check;
mod download;
mod export;
mod import;
mod list;
mod receiving;
pub(in crate::usecases) mod seal;
mod tidy;
mod upload;

pub(in crate::usecases) use attach::hang_seen;
pub use download::Download;
pub use export::{AttachmentExport, ExportedAttachment};
pub use import::{AttachmentImport, AttachmentImported, ImportBegun};
pub use list::{AttachmentPage, ListAttachmentsInput};
pub use tidy::Tidied;
pub use upload::{Upload, UploadInput};

use std::sync::Arc;

use super::App;
use crate::attachments::Attachment;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{AttachmentId, UserId};
use crate::ports::{AttachmentQuery, Blobs, VaultReader};

/// Bytes after which who uploads or downloads looks again whether he still may: what is erased meanwhile goes no further.
const LOOK_EVERY: u64 = 4 << 20;

impl App {
    fn blobs(&self) -> Result<Arc<dyn Blobs>> {
        let none = || Error::storage(StorageFailure::Defect, "this process was put together without attachments");
        self.blobs.clone().ok_or_else(none)
    }

    /// One attachment, if the caller sees it.
    pub async fn get_attachment(&self, user: &UserId, id: AttachmentId) -> Result<Attachment> {
        self.vaults.read(user, move |reader| Box::pin(seen(reader, id))).await
    }

    /// The name that is kept with what this caller uploads.
    fn uploader(&self) -> String {
        self.caller.as_ref().map_or_else(|| "system".to_owned(), |caller| caller.name.to_string())
    }
}

/// The attachment, or [`Error::NotFound`].
async fn seen(reader: &mut dyn VaultReader, id: AttachmentId) -> Result<Attachment> {
    let found = reader.attachments(&AttachmentQuery::Ids(vec![id])).await?;
    found.into_iter().next().ok_or_else(|| Error::attachment_not_found(id))
}
