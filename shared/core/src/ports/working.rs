//! Working memory, in whatever storage.

use async_trait::async_trait;

use crate::error::Result;
use crate::ids::UserId;
use crate::time::Timestamp;
use crate::working::{Keyspace, WorkingOps, WorkingOutcome};

/// Working memory of all users. Ephemeral: a restart of the process or the database may empty it.
#[async_trait]
pub trait WorkingMemory: Send + Sync {
    /// Runs operations in a keyspace: all of them, or none if one fails. Operations in one keyspace run one after the other.
    async fn run(&self, keyspace: &Keyspace, ops: &WorkingOps, now: Timestamp) -> Result<Vec<WorkingOutcome>>;
    /// Removes everything of a user.
    async fn forget(&self, user: &UserId) -> Result<()>;
}
