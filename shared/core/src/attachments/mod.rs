//! Attachments: files attached to memories.
//!
//! An attachment is a name and a media type for some bytes, its blob. Equal bytes of one user share one blob, whatever the
//! attachments are called; no answer names blobs, since an attachment of one caller may be out of another's reach. Memories
//! refer to attachments. An attachment is removed with its last memory, and a blob with its last attachment.

mod draft;
mod limits;
mod media_type;
mod record;

pub use draft::AttachmentDraft;
pub use limits::{AttachmentLimits, S3Location};
pub use media_type::MediaPattern;
pub use record::AttachmentRecord;
pub(crate) use record::of_record;

use crate::ids::{AttachmentId, BlobId, MemoryId};
use crate::time::Timestamp;

/// An attachment as stored in a vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Id of the attachment.
    pub id: AttachmentId,
    /// The blob with its bytes.
    pub blob: BlobId,
    /// Its name; may be empty.
    pub name: String,
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// Hash and sizes of its bytes.
    pub facts: BlobFacts,
    /// The name of the caller who uploaded it; empty for another caller's upload if the reader reaches only some memories.
    pub uploader: String,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// The visible memories it is attached to, in order of creation; none for a while after the upload.
    pub memories: Vec<MemoryId>,
    /// Whether it is attached to any memory, visible or not.
    pub hangs: bool,
}

impl Attachment {
    /// Reports whether a caller who sees `memories` may see it: through one of them, or as its uploader while it is
    /// attached to none.
    pub fn is_seen(&self, by_uploader: bool) -> bool {
        !self.memories.is_empty() || (!self.hangs && by_uploader)
    }
}

/// Hash and sizes of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobFacts {
    /// Their SHA-256.
    pub sha256: [u8; 32],
    /// Number of bytes.
    pub size_bytes: u64,
    /// Bytes that the store uses for them.
    pub stored_bytes: u64,
}

/// An attachment to insert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAttachment {
    /// Id of the attachment.
    pub id: AttachmentId,
    /// The stored blob.
    pub blob: BlobId,
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// The uploader's name.
    pub uploader: String,
    /// Time of the upload.
    pub created_at: Timestamp,
}

/// Number and size of a user's attachments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttachmentUsage {
    /// Number of attachments.
    pub items: u64,
    /// Bytes of their blobs, each counted once; counts against the allowance.
    pub bytes: u64,
    /// Bytes that uploads in progress may still add. They count too when a new upload begins.
    pub coming_bytes: u64,
    /// Bytes that the store uses for the blobs.
    pub stored_bytes: u64,
}

/// Blobs that are being uploaded or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingBlobs {
    /// Blobs whose bytes must be removed.
    pub condemned: Vec<BlobId>,
    /// Start of the oldest unfinished upload.
    pub oldest_staged: Option<Timestamp>,
    /// Upload time of the oldest attachment that was never attached to a memory.
    pub oldest_unreferenced: Option<Timestamp>,
}

impl PendingBlobs {
    /// Reports whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.condemned.is_empty() && self.oldest_staged.is_none() && self.oldest_unreferenced.is_none()
    }
}
