//! The bytes of attachments, outside of vaults.

use async_trait::async_trait;

use crate::attachments::BlobFacts;
use crate::error::Result;
use crate::ids::{BlobId, UserId};
use crate::time::Timestamp;

/// Where the bytes of attachments lie. Bytes are there whole or not at all; who writes them is killed anywhere leaves at
/// most something that [`tidy`](Self::tidy) removes.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Whether what is sensitive is sealed under keys of its own: wherever there is encryption.
    fn seals(&self) -> bool;

    /// Begins to write a blob of a user who has a vault; what is `sensitive` under the user's sensitive key, if there is
    /// encryption. Nobody sees it before [`BlobWriter::finish`].
    async fn begin(&self, user: &UserId, blob: BlobId, sensitive: bool) -> Result<Box<dyn BlobWriter>>;

    /// Reads a blob from the byte at `offset` on; `None` if there is none.
    async fn open(&self, user: &UserId, blob: BlobId, offset: u64) -> Result<Option<Box<dyn BlobReader>>>;

    /// Removes blobs, those that there are; on return they are gone for good.
    async fn remove(&self, user: &UserId, blobs: &[BlobId]) -> Result<()>;

    /// Compares what is there with what should be: removes what is not `known` and was last written before `before`,
    /// beginnings of blobs among it, and says which of `known` are missing.
    async fn tidy(&self, user: &UserId, known: &[BlobId], before: Timestamp) -> Result<TidiedBlobs>;

    /// Removes everything of a user, whether or not he still has keys. May be cut anywhere and done again.
    async fn remove_all(&self, user: &UserId) -> Result<()>;
}

/// Takes the bytes of one blob. Dropped before it is finished, it leaves nothing, now or after a
/// [`tidy`](Blobs::tidy); dropped when it is finished, the blob.
#[async_trait]
pub trait BlobWriter: Send {
    /// Takes the next bytes.
    async fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Ends the blob; on return it is on disk, or wherever it is kept. Nothing can be written any more, whatever it returns.
    async fn finish(&mut self) -> Result<BlobFacts>;

    /// Removes what was written, finished or not, for good; also of a user who was purged meanwhile and has no keys any more.
    async fn discard(self: Box<Self>) -> Result<()>;
}

/// Gives out the bytes of one blob.
#[async_trait]
pub trait BlobReader: Send {
    /// The next bytes, never none of them; `None` at the end. Fails as corrupt when they are not those that were written.
    async fn next(&mut self) -> Result<Option<Vec<u8>>>;
}

/// What tidying up found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TidiedBlobs {
    /// Things removed that nobody knew.
    pub removed: u64,
    /// Blobs that should be there and are not.
    pub missing: Vec<BlobId>,
}
