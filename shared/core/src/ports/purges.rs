//! Purging users: what storage does for it.

use async_trait::async_trait;

use super::By;
use crate::erasure::{Erased, Purge};
use crate::error::Result;
use crate::ids::{PurgeId, UserId};
use crate::time::Timestamp;

/// The purges of one data folder, and the steps of them that are storage's. Every step may be cut anywhere and done again.
/// While [`hold`](Self::hold) is held, nobody else does any.
#[async_trait]
pub trait Purges: Send + Sync {
    /// Begins a purge and hides the user's vault: on return no call of any process reads or writes it, but those that
    /// were under way. One that is under way already is returned as it is. Told in the audit of the system.
    async fn begin(&self, id: PurgeId, user: &UserId, by: &By) -> Result<Purge>;

    /// A purge or its receipt.
    async fn get(&self, id: PurgeId) -> Result<Option<Purge>>;

    /// Purges, newest first, of a user or of all, before one, at most `limit`.
    async fn list(&self, of: Option<&UserId>, before: Option<PurgeId>, limit: usize) -> Result<Vec<Purge>>;

    /// Purges that are not done, oldest first, at most `limit`.
    async fn under_way(&self, limit: usize) -> Result<Vec<PurgeId>>;

    /// Whether a purge is one of this user.
    fn is_of(&self, purge: &Purge, user: &UserId) -> bool;

    /// The right to work on purges, in all processes; given back when it is dropped. Fails as unavailable if somebody
    /// else has it for long.
    async fn hold(&self) -> Result<Box<dyn Send>>;

    /// Keeps how far a purge has come.
    async fn keep(&self, purge: &Purge) -> Result<()>;

    /// Counts what the vault holds, deletes every row in one transaction, behind which none can be committed, and empties the
    /// log. Fails as unavailable while a reader is in the way of that.
    async fn empty_vault(&self, user: &UserId, purge: PurgeId) -> Result<Erased>;

    /// Destroys the key file and removes all files of the vault. Does nothing once the vault was released.
    async fn destroy_vault(&self, user: &UserId, purge: PurgeId) -> Result<()>;

    /// Forgets the user in the registry, and in what credentials are granted: those for this user alone are revoked. Keeps
    /// the purge at its next step in the same transaction, and returns it.
    async fn forget_user(&self, purge: &Purge, at: Timestamp) -> Result<Purge>;

    /// Lets the user come back.
    async fn release(&self, user: &UserId, purge: PurgeId) -> Result<()>;

    /// Tells the purge in the audit of the system, and keeps it without the user's id; returns the receipt.
    async fn finish(&self, purge: &Purge, at: Timestamp) -> Result<Purge>;
}

/// Something outside of storage that holds things of users.
#[async_trait]
pub trait ErasesUsers: Send + Sync {
    /// Erases everything of a user. May be cut anywhere and done again.
    async fn erase(&self, user: &UserId) -> Result<()>;
}
