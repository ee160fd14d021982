//! The little that must be global: which users there are, when they are due, and whose outbox holds something.

use async_trait::async_trait;

use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::Trigger;
use crate::time::Timestamp;

/// A user whose scheduled run is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueUser {
    /// The user.
    pub user: UserId,
    /// `Schedule` or `Rotation`.
    pub trigger: Trigger,
    /// When it was due.
    pub due_at: Timestamp,
}

/// A vault whose outbox may hold something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxMark {
    /// The user.
    pub user: UserId,
    /// When it was marked.
    pub marked_at: Timestamp,
}

/// The registry of users. A user is registered, due at once for neither run, when their vault is made.
#[async_trait]
pub trait Registry: Send + Sync {
    /// Users with a run due at `now`, longest due first, at most `limit`.
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<DueUser>>;

    /// Sets when a user's next run of this trigger is due, if it is still due at `was` (`None`: whatever it is). `false`
    /// if somebody else moved it.
    async fn reschedule(
        &self,
        user: &UserId,
        trigger: Trigger,
        was: Option<Timestamp>,
        next: Timestamp,
    ) -> Result<bool>;

    /// When a user's next run of this trigger is due; `None` for an unknown user.
    async fn next_due(&self, user: &UserId, trigger: Trigger) -> Result<Option<Timestamp>>;

    /// Users in order of their id, after `after`, at most `limit`.
    async fn users(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<UserId>>;

    /// How many users there are.
    async fn count_users(&self) -> Result<u64>;

    /// Vaults whose outbox may hold something, longest first, at most `limit`. The store marks a vault before it commits
    /// an outbox row, so that no row is ever without a mark.
    async fn outbox_marks(&self, limit: usize) -> Result<Vec<OutboxMark>>;

    /// Removes the mark if the vault's outbox is empty.
    async fn clear_outbox_mark(&self, user: &UserId) -> Result<()>;

    /// Takes up to `wanted` of the vectors that may be computed for all users on a day, of which there are `budget`;
    /// returns how many were taken. They count as computed.
    async fn take_embedding_budget(&self, day: i64, wanted: u64, budget: u64) -> Result<u64>;

    /// Vectors that were computed for all users on a day.
    async fn embedded_on(&self, day: i64) -> Result<u64>;

    /// Bytes of the whole data folder on disk.
    async fn disk_bytes(&self) -> Result<u64>;
}
