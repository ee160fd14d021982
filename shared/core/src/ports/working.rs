//! Working memory, wherever it lies.

use async_trait::async_trait;

use crate::error::Result;
use crate::ids::UserId;
use crate::time::Timestamp;
use crate::working::{WorkingOps, WorkingOutcome, WorkingPlace};

/// Working memory of all users. Ephemeral: a restart, of the process or of the database, may empty it.
#[async_trait]
pub trait WorkingMemory: Send + Sync {
    /// Carries operations out in a place: all of them, or none if one fails. Those of one place come one after the other.
    async fn run(&self, place: &WorkingPlace, ops: &WorkingOps, now: Timestamp) -> Result<Vec<WorkingOutcome>>;
    /// Removes everything of a user.
    async fn forget(&self, user: &UserId) -> Result<()>;
}
