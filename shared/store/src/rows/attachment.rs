//! The row of an attachment.

use kimberly_core::attachments::{Attachment, BlobFacts};
use kimberly_core::error::Result;
use kimberly_core::ids::{AttachmentId, BlobId};

use super::ReadRow;

/// Reads an attachment up to the ids of its memories, which each backend stores in its own form.
pub(crate) fn attachment<'r>(c: &mut impl ReadRow<'r>) -> Result<Attachment> {
    Ok(Attachment {
        id: AttachmentId(c.uuid()?),
        blob: BlobId(c.uuid()?),
        name: c.text()?,
        media_type: c.text()?,
        facts: BlobFacts { sha256: c.digest_or_zeros()?, size_bytes: c.count()?, stored_bytes: c.count()? },
        uploader: c.text()?,
        created_at: c.time()?,
        hangs: c.flag()?,
        memories: Vec::new(),
    })
}
