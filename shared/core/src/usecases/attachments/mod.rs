//! Attachments: streamed in and out, attached to memories, and removed with the last of them.

mod attach;
mod check;
mod download;
mod export;
mod find;
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
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{AttachmentId, UserId};
use crate::ports::{AttachmentQuery, Blobs, VaultReader};

/// Bytes between two access checks of an upload or download, so that no more is sent of what was erased meanwhile.
const LOOK_EVERY: u64 = 4 << 20;

impl App {
    fn blobs(&self) -> Result<Arc<dyn Blobs>> {
        let none = || Error::storage(StorageFailure::Defect, "this process runs without attachments");
        self.blobs.clone().ok_or_else(none)
    }

    /// Returns one attachment that the caller sees.
    #[boxed]
    pub async fn get_attachment(&self, user: &UserId, id: AttachmentId) -> Result<Attachment> {
        self.vaults.read(user, move |reader| Box::pin(seen(reader, id))).await
    }
}

/// Loads the attachment, or fails with [`Error::NotFound`].
async fn seen(reader: &mut dyn VaultReader, id: AttachmentId) -> Result<Attachment> {
    let found = reader.attachments(&AttachmentQuery::Ids(vec![id])).await?;
    found.into_iter().next().ok_or_else(|| Error::attachment_not_found(id))
}
