//! Storage for the bytes of attachments, outside of vaults.

use async_trait::async_trait;

use crate::attachments::BlobFacts;
use crate::error::Result;
use crate::ids::{BlobId, UserId};
use crate::time::Timestamp;

/// Stores the bytes of attachments. A blob exists completely or not at all; a writer that is killed at any point
/// leaves at most leftovers that [`tidy`](Self::tidy) removes.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Reports whether sensitive blobs are encrypted with a separate key: true wherever encryption is on.
    fn seals(&self) -> bool;

    /// Begins to write a blob for a user who has a vault; with encryption, a `sensitive` one under the user's
    /// sensitive key. The blob becomes visible with [`BlobWriter::finish`].
    async fn begin(&self, user: &UserId, blob: BlobId, sensitive: bool) -> Result<Box<dyn BlobWriter>>;

    /// Opens a blob for reading from the byte at `offset`; `None` if it does not exist.
    async fn open(&self, user: &UserId, blob: BlobId, offset: u64) -> Result<Option<Box<dyn BlobReader>>>;

    /// Removes the blobs that exist; on return they are gone permanently.
    async fn remove(&self, user: &UserId, blobs: &[BlobId]) -> Result<()>;

    /// Compares the stored blobs with the expected ones: removes blobs and partial writes that are not `known` and
    /// were last written before `before`, and reports which of `known` are missing.
    async fn tidy(&self, user: &UserId, known: &[BlobId], before: Timestamp) -> Result<TidiedBlobs>;

    /// Removes everything of a user, who may no longer have keys. Can be interrupted and repeated.
    async fn remove_all(&self, user: &UserId) -> Result<()>;
}

/// Writes the bytes of one blob. If dropped before it is finished, nothing remains after the next
/// [`tidy`](Blobs::tidy); if dropped after, the blob remains.
#[async_trait]
pub trait BlobWriter: Send {
    /// Appends bytes.
    async fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Completes the blob; on return it is durable. Nothing more can be written, whatever the result.
    async fn finish(&mut self) -> Result<BlobFacts>;

    /// Removes the blob, finished or not, permanently; works also if the user was purged meanwhile and no longer has keys.
    async fn discard(self: Box<Self>) -> Result<()>;
}

/// Reads the bytes of one blob.
#[async_trait]
pub trait BlobReader: Send {
    /// Returns the next bytes, never an empty chunk; `None` at the end. Fails as corrupt if the bytes were changed.
    async fn next(&mut self) -> Result<Option<Vec<u8>>>;
}

/// The result of tidying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TidiedBlobs {
    /// Number of unknown items removed.
    pub removed: u64,
    /// Expected blobs that are missing.
    pub missing: Vec<BlobId>,
}
