//! Storage operations for purging users.

use async_trait::async_trait;

use super::By;
use crate::erasure::{Erased, Purge};
use crate::error::Result;
use crate::ids::{PurgeId, UserId};
use crate::time::Timestamp;

/// The purges of one data folder, and the steps that storage carries out. Every step can be interrupted and repeated.
/// While [`hold`](Self::hold) is held, no other process works on purges.
#[async_trait]
pub trait Purges: Send + Sync {
    /// Begins a purge and hides the user's vault: on return, no process starts to read or write it any more; calls in
    /// progress may finish. Returns a purge already in progress unchanged. Recorded in the system's audit.
    async fn begin(&self, id: PurgeId, user: &UserId, by: &By) -> Result<Purge>;

    /// Returns a purge or its receipt.
    async fn get(&self, id: PurgeId) -> Result<Option<Purge>>;

    /// Lists purges, newest first, of one user or all, before one, at most `limit`.
    async fn list(&self, of: Option<&UserId>, before: Option<PurgeId>, limit: usize) -> Result<Vec<Purge>>;

    /// Lists unfinished purges, oldest first, at most `limit`.
    async fn under_way(&self, limit: usize) -> Result<Vec<PurgeId>>;

    /// Reports whether a purge concerns this user.
    fn is_of(&self, purge: &Purge, user: &UserId) -> bool;

    /// Acquires the lock for working on purges across all processes; dropping the result releases it. Fails as
    /// unavailable if another holder keeps it for long.
    async fn hold(&self) -> Result<Box<dyn Send>>;

    /// Stores the progress of a purge.
    async fn store_progress(&self, purge: &Purge) -> Result<()>;

    /// Counts the vault's contents, deletes every row in one transaction after which nothing can be committed, and
    /// empties the log. Fails as unavailable while a reader prevents that.
    async fn empty_vault(&self, user: &UserId, purge: PurgeId) -> Result<Erased>;

    /// Destroys the key file and removes all files of the vault. Does nothing once the vault is released.
    async fn destroy_vault(&self, user: &UserId, purge: PurgeId) -> Result<()>;

    /// Removes the user from the registry and from credentials' grants; credentials for this user only are revoked.
    /// Stores the purge with its next step in the same transaction, and returns it.
    async fn forget_user(&self, purge: &Purge, at: Timestamp) -> Result<Purge>;

    /// Allows the user to start over.
    async fn release(&self, user: &UserId, purge: PurgeId) -> Result<()>;

    /// Records the purge in the system's audit and stores it without the user's id; returns the receipt.
    async fn finish(&self, purge: &Purge, at: Timestamp) -> Result<Purge>;
}

/// A component outside storage that holds data of users.
#[async_trait]
pub trait ErasesUsers: Send + Sync {
    /// Erases everything of a user. Can be interrupted and repeated.
    async fn erase(&self, user: &UserId) -> Result<()>;
}
