//! The registry of users, and credentials: `system.db`.

mod audit;
mod credentials;
mod due;
mod embedding;
mod pending;
mod purges;
mod quarantine;
mod rings;
mod scrub;
mod system;
mod unregistered;
mod users;

pub use scrub::ScrubNote;
pub(crate) use system::SystemDb;
pub use unregistered::Registered;
pub(crate) use unregistered::unregistered;
pub(crate) use users::user as user_of;

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::meditation::Trigger;
use kimberly_core::ports::{DueUser, PendingOutbox, Registry};
use kimberly_core::time::Timestamp;

use super::shared::Shared;
use super::vaults::OpenVaults;
use super::{errors, files};

/// Implements the ports over the shared state.
#[derive(Clone)]
pub(crate) struct RegistryPort {
    pub(crate) shared: Arc<Shared>,
    pub(crate) vaults: Arc<OpenVaults>,
}

#[async_trait]
impl Registry for RegistryPort {
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<DueUser>> {
        self.shared.registry.due(now, limit).await
    }
    async fn reschedule(
        &self,
        user: &UserId,
        trigger: Trigger,
        was: Option<Timestamp>,
        next: Timestamp,
    ) -> Result<bool> {
        self.shared.registry.reschedule(user, trigger, was, next).await
    }
    async fn next_due(&self, user: &UserId, trigger: Trigger) -> Result<Option<Timestamp>> {
        self.shared.registry.next_due(user, trigger).await
    }
    async fn users(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<UserId>> {
        self.shared.registry.users(after, limit).await
    }
    async fn count_users(&self) -> Result<u64> {
        self.shared.registry.count_users().await
    }
    async fn pending_outboxes(&self, limit: usize) -> Result<Vec<PendingOutbox>> {
        self.shared.registry.pending(limit).await
    }
    async fn clear_pending_outbox(&self, user: &UserId) -> Result<()> {
        self.vaults.clear_pending_outbox(user).await
    }
    async fn take_embedding_budget(&self, day: i64, wanted: u64, budget: u64) -> Result<u64> {
        self.shared.registry.take_embedding_budget(day, wanted, budget).await
    }
    async fn embedded_on(&self, day: i64) -> Result<u64> {
        self.shared.registry.embedded_on(day).await
    }
    async fn disk_bytes(&self) -> Result<u64> {
        let root = self.shared.layout.root().to_owned();
        files::off_thread(move || files::bytes_below(&root))
            .await?
            .map_err(|e| errors::io("measuring the data folder", &e))
    }
}
