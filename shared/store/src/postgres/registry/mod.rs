//! Data shared by all users: the users and their due times, pending outboxes, credentials, and the audit of the
//! system. No row-level security applies, because it is read across users.
//!
//! Changes of credentials and purges lock the row of the system's audit until they commit, so they run one at a time. A
//! transaction that also needs a vault's row locks that row first.

mod audit;
mod change;
mod credentials;
mod due;
mod embedding;
mod pending;
mod purges;
mod rings;
mod users;

pub(crate) use purges::{insert_purge, overtaken};

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::meditation::Trigger;
use kimberly_core::ports::{DueUser, PendingOutbox, Registry};
use kimberly_core::time::Timestamp;

use super::conn::Args;
use super::rows::{Cells, ReadRow as _};
use super::shared::Shared;

const DISK_BYTES: &str = "SELECT pg_database_size(current_database())";

/// Implements the ports over the shared state.
pub(crate) struct RegistryPort(pub(crate) Arc<Shared>);

#[async_trait]
impl Registry for RegistryPort {
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<DueUser>> {
        self.due_users(now, limit).await
    }
    async fn reschedule(
        &self,
        user: &UserId,
        trigger: Trigger,
        was: Option<Timestamp>,
        next: Timestamp,
    ) -> Result<bool> {
        self.move_due(user, trigger, was, next).await
    }
    async fn next_due(&self, user: &UserId, trigger: Trigger) -> Result<Option<Timestamp>> {
        self.due_at(user, trigger).await
    }
    async fn users(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<UserId>> {
        self.list_users(after, limit).await
    }
    async fn count_users(&self) -> Result<u64> {
        self.number_of_users().await
    }
    async fn pending_outboxes(&self, limit: usize) -> Result<Vec<PendingOutbox>> {
        self.pending(limit).await
    }
    async fn clear_pending_outbox(&self, user: &UserId) -> Result<()> {
        self.clear_pending(user).await
    }
    async fn take_embedding_budget(&self, day: i64, wanted: u64, budget: u64) -> Result<u64> {
        self.take_vectors(day, wanted, budget).await
    }
    async fn embedded_on(&self, day: i64) -> Result<u64> {
        self.vectors_on(day).await
    }
    async fn disk_bytes(&self) -> Result<u64> {
        let bytes = self.0.row("measuring the database", DISK_BYTES, Args::none(), |row| Cells::new(row).count());
        Ok(bytes.await?.unwrap_or_default())
    }
}
