//! The storage backend of objects.

use async_trait::async_trait;
use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::UserId;

/// Stores objects by user and name.
#[async_trait]
pub(crate) trait Shelf: Send + Sync {
    /// Starts an object, which is invisible until [`Put::finish`].
    async fn begin(&self, user: &UserId, name: &str) -> Result<Box<dyn Put>>;
    /// Opens an object at its start. Returns `None` if it is missing.
    async fn open(&self, user: &UserId, name: &str) -> Result<Option<Box<dyn Get>>>;
    /// Removes an object if it exists.
    async fn remove(&self, user: &UserId, name: &str) -> Result<()>;
    /// Lists all objects of a user, including unfinished ones.
    async fn list(&self, user: &UserId) -> Result<Vec<Found>>;
    /// Removes a listed object.
    async fn discard(&self, user: &UserId, found: &Found) -> Result<()>;
    /// Removes all objects of a user.
    async fn remove_all(&self, user: &UserId) -> Result<()>;
}

/// An object being written. If dropped before it is finished, it leaves only what [`Shelf::list`] finds.
#[async_trait]
pub(crate) trait Put: Send {
    /// Appends bytes.
    async fn write(&mut self, bytes: &[u8]) -> Result<()>;
    /// Makes the object visible and durable. No writes may follow.
    async fn finish(&mut self) -> Result<()>;
    /// Removes the object, finished or not.
    async fn discard(self: Box<Self>) -> Result<()>;
}

/// An object being read.
#[async_trait]
pub(crate) trait Get: Send {
    /// Returns the next bytes, or `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<u8>>>;
}

/// A listed object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The object's name, or that of an unfinished one.
    pub(crate) name: String,
    /// When it was last written.
    pub(crate) at: Timestamp,
}
