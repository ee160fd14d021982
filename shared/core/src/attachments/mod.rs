//! Attachments: files that hang on memories.
//!
//! An attachment is a name and a type over bytes, its blob. Equal bytes of one user are one blob, whatever the attachments
//! over it are called; no answer names them, since an attachment of one caller may be out of another's reach. What refers to an
//! attachment are memories. With the last of them it goes, and with the last attachment its blob.

mod draft;
mod limits;
mod record;

pub use draft::AttachmentDraft;
pub use limits::{AttachmentLimits, MediaPattern, S3Place};
pub use record::AttachmentRecord;
pub(crate) use record::of_record;

use crate::ids::{AttachmentId, BlobId, MemoryId};
use crate::time::Timestamp;

/// An attachment as a vault keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its id.
    pub id: AttachmentId,
    /// Its bytes.
    pub blob: BlobId,
    /// What it is called; may be empty.
    pub name: String,
    /// What kind of bytes these are, such as `image/png`.
    pub media_type: String,
    /// What its bytes are.
    pub facts: BlobFacts,
    /// The name of the caller who uploaded it; empty for another's, to who reaches only some memories.
    pub uploader: String,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// The memories that it hangs on and that are shown, in order of their creation; none for a while after the upload.
    pub memories: Vec<MemoryId>,
    /// Whether it hangs on any memory, shown or not.
    pub hangs: bool,
}

impl Attachment {
    /// Whether a caller sees it who is shown `memories` of it: by one of them, or by having uploaded it while it hangs
    /// on none.
    pub fn is_seen(&self, by_uploader: bool) -> bool {
        !self.memories.is_empty() || (!self.hangs && by_uploader)
    }
}

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobFacts {
    /// Their SHA-256.
    pub sha256: [u8; 32],
    /// How many.
    pub size_bytes: u64,
    /// How many the store holds for them.
    pub stored_bytes: u64,
}

/// An attachment to insert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAttachment {
    /// Its id.
    pub id: AttachmentId,
    /// Its bytes, which are stored.
    pub blob: BlobId,
    /// What it is called.
    pub name: String,
    /// What kind of bytes these are.
    pub media_type: String,
    /// Who uploads it.
    pub uploader: String,
    /// When.
    pub created_at: Timestamp,
}

/// What a user's attachments are and hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttachmentUsage {
    /// Attachments.
    pub items: u64,
    /// Bytes of their blobs, each counted once: what counts against the allowance.
    pub bytes: u64,
    /// Bytes that uploads under way may still make of it: they count, too, while something begins.
    pub coming_bytes: u64,
    /// Bytes that the store holds for these.
    pub stored_bytes: u64,
}

/// What is known of blobs that are on their way, in or out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingBlobs {
    /// Blobs whose bytes are to be removed.
    pub condemned: Vec<BlobId>,
    /// When the oldest upload began that has not ended.
    pub oldest_staged: Option<Timestamp>,
    /// When the oldest attachment was uploaded that never hung on a memory.
    pub oldest_unreferenced: Option<Timestamp>,
}

impl PendingBlobs {
    /// Whether nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.condemned.is_empty() && self.oldest_staged.is_none() && self.oldest_unreferenced.is_none()
    }
}
