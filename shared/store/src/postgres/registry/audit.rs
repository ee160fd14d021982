//! The audit of the system.

use async_trait::async_trait;
use kimberly_core::audit::{AuditEntry, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange, AuditReader, AuditWork, SystemAudit};

use super::RegistryPort;
use super::change;
use crate::audit::{Stored as _, entries};
use crate::postgres::audit::{self, In, Log};
use crate::postgres::conn::Conn;

#[async_trait]
impl SystemAudit for RegistryPort {
    async fn name(&self) -> Result<String> {
        let mut conn = self.0.registry().await?;
        let name = audit::system_name(&mut conn).await;
        conn.roll_back().await;
        name
    }

    async fn append(&self, entries: Vec<AuditEntry>) -> Result<()> {
        let mut conn = self.0.registry().await?;
        let done = audit::append_system(&mut conn, &entries).await;
        conn.end(done).await.map(drop)
    }

    async fn compact(&self) -> Result<usize> {
        let mut conn = self.0.registry().await?;
        let done = compact(&mut conn).await;
        conn.end(done).await
    }

    async fn read_with(&self, mut work: AuditWork) -> Result<()> {
        let mut conn = self.0.snapshot().await?;
        let done = work(&mut Reading(&mut conn)).await;
        conn.roll_back().await;
        done
    }
}

/// Locked, because two concurrent runs would pack the same rows.
async fn compact(conn: &mut Conn) -> Result<usize> {
    change::lock(conn).await?;
    audit::compact_system(conn).await
}

/// The audit of the system, in one snapshot.
struct Reading<'c>(&'c mut Conn);

#[async_trait]
impl AuditReader for Reading<'_> {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        In::new(self.0, Log::System).range().await
    }
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        entries(&mut In::new(self.0, Log::System), query).await
    }
}
