//! Global state: which users exist, when their runs are due, and whose outbox may hold jobs.

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
    /// When the run became due.
    pub due_at: Timestamp,
}

/// A vault whose outbox may hold jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingOutbox {
    /// The user.
    pub user: UserId,
    /// When it was recorded.
    pub pending_since: Timestamp,
}

/// The registry of users. Creating a user's vault registers the user, with no run due yet.
#[async_trait]
pub trait Registry: Send + Sync {
    /// Users with a run due at `now`, longest overdue first, at most `limit`.
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<DueUser>>;

    /// Sets when a user's next run of this trigger is due, if it is still due at `was` (`None`: in any case). Returns
    /// `false` if it was moved meanwhile.
    async fn reschedule(
        &self,
        user: &UserId,
        trigger: Trigger,
        was: Option<Timestamp>,
        next: Timestamp,
    ) -> Result<bool>;

    /// When a user's next run of this trigger is due; `None` for an unknown user.
    async fn next_due(&self, user: &UserId, trigger: Trigger) -> Result<Option<Timestamp>>;

    /// Users ordered by id, after `after`, at most `limit`.
    async fn users(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<UserId>>;

    /// Number of users.
    async fn count_users(&self) -> Result<u64>;

    /// Vaults whose outbox may hold jobs, longest pending first, at most `limit`. The store notes a vault before it
    /// commits an outbox row, so that no vault with jobs is missing.
    async fn pending_outboxes(&self, limit: usize) -> Result<Vec<PendingOutbox>>;

    /// Removes the vault from this list if its outbox is empty.
    async fn clear_pending_outbox(&self, user: &UserId) -> Result<()>;

    /// Takes up to `wanted` vectors from the `budget` of all users for a day; returns how many were taken. They count
    /// as computed.
    async fn take_embedding_budget(&self, day: i64, wanted: u64, budget: u64) -> Result<u64>;

    /// Vectors computed for all users on a day.
    async fn embedded_on(&self, day: i64) -> Result<u64>;

    /// Size of the whole data folder on disk, in bytes.
    async fn disk_bytes(&self) -> Result<u64>;
}
