//! Where objects lie: what a place for them must do.

use async_trait::async_trait;
use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::UserId;

/// A place for objects by user and name.
#[async_trait]
pub(crate) trait Shelf: Send + Sync {
    /// Begins an object. Nobody sees it before [`Put::finish`].
    async fn begin(&self, user: &UserId, name: &str) -> Result<Box<dyn Put>>;
    /// Reads an object from its start; `None` if there is none.
    async fn open(&self, user: &UserId, name: &str) -> Result<Option<Box<dyn Get>>>;
    /// Removes an object, if there is one.
    async fn remove(&self, user: &UserId, name: &str) -> Result<()>;
    /// Everything of a user that is there, beginnings too.
    async fn list(&self, user: &UserId) -> Result<Vec<Found>>;
    /// Removes what was found.
    async fn discard(&self, user: &UserId, found: &Found) -> Result<()>;
    /// Removes everything of a user.
    async fn remove_all(&self, user: &UserId) -> Result<()>;
}

/// An object that is being written; dropped before it is finished, it leaves nothing but what [`Shelf::list`] finds.
#[async_trait]
pub(crate) trait Put: Send {
    /// Appends bytes.
    async fn write(&mut self, bytes: &[u8]) -> Result<()>;
    /// Lets it be seen, durably. Nothing is written after it.
    async fn finish(&mut self) -> Result<()>;
    /// Removes it, seen or not.
    async fn discard(self: Box<Self>) -> Result<()>;
}

/// An object that is being read.
#[async_trait]
pub(crate) trait Get: Send {
    /// The next bytes; `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<u8>>>;
}

/// Something that lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its name, or that of a beginning.
    pub(crate) name: String,
    /// When it was last written.
    pub(crate) at: Timestamp,
}
