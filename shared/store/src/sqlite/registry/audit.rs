//! The audit of the system, and audited changes of the registry.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::audit::{AuditEntry, AuditRecord};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{AuditQuery, AuditRange, AuditReader, AuditWork, SystemAudit};

use super::{RegistryPort, SystemDb};
use crate::audit::{Stored as _, compact, entries};
use crate::sqlite::audit::{self, In, Log, To};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

const NAME: &str = "SELECT name FROM audit_log";

/// A change of the registry.
pub(super) struct Change {
    pub(super) doing: &'static str,
    pub(super) sql: &'static str,
    pub(super) args: Args,
}

impl RegistryPort {
    /// Makes a change and audits it in one transaction. Returns the number of changed rows; without any, nothing is
    /// audited. Runs to completion even if the caller is cancelled: an open transaction would absorb the next
    /// statements.
    pub(super) async fn change(&self, change: Option<Change>, entries: Vec<AuditEntry>) -> Result<u64> {
        let shared = Arc::clone(&self.shared);
        let done = tokio::spawn(async move { shared.registry.change(change, &entries).await });
        done.await.unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "a change of the registry panicked")))
    }
}

impl SystemDb {
    pub(super) async fn change(&self, change: Option<Change>, entries: &[AuditEntry]) -> Result<u64> {
        let mut writing = self.writer().await?;
        let conn = writing.conn()?;
        conn.run("beginning a change", "BEGIN IMMEDIATE", Args::new()).await?;
        let done = make(conn, change, entries).await;
        if done.is_err() {
            conn.audit_head = None;
        }
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = conn.run("ending a change", end, Args::new()).await;
        let changed = done?;
        ended.map(|_| changed)
    }
}

impl SystemDb {
    async fn compact(&self) -> Result<usize> {
        let mut writing = self.writer().await?;
        let conn = writing.conn()?;
        conn.run("compressing the audit", "BEGIN IMMEDIATE", Args::new()).await?;
        let done = match name(conn).await {
            Ok(name) => compact(&mut In::new(conn, &Log::SYSTEM), &name).await,
            Err(error) => Err(error),
        };
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = conn.run("compressing the audit", end, Args::new()).await;
        let packed = done?;
        ended.map(|_| packed)
    }
}

async fn make(conn: &mut Conn, change: Option<Change>, entries: &[AuditEntry]) -> Result<u64> {
    let changed = match change {
        Some(Change { doing, sql, args }) => conn.run(doing, sql, args).await?,
        None => 1,
    };
    if changed > 0 {
        append(conn, entries).await?;
    }
    Ok(changed)
}

/// Appends entries to the audit of the system, within a transaction.
pub(super) async fn append(conn: &mut Conn, entries: &[AuditEntry]) -> Result<()> {
    let name = name(conn).await?;
    let to = To { log: &Log::SYSTEM, name: &|| name.clone(), last: true };
    audit::append(conn, "appending to the audit", to, entries).await
}

async fn name(conn: &mut Conn) -> Result<String> {
    let name = conn.row("reading the id of the audit", NAME, Args::new(), |row| Cells::new(row).text()).await?;
    name.ok_or_else(|| errors::corrupt("the audit of the system has no name"))
}

#[async_trait]
impl SystemAudit for RegistryPort {
    async fn name(&self) -> Result<String> {
        name(self.shared.registry.reader().await?.conn()?).await
    }

    async fn append(&self, entries: Vec<AuditEntry>) -> Result<()> {
        self.change(None, entries).await.map(drop)
    }

    async fn compact(&self) -> Result<usize> {
        let shared = Arc::clone(&self.shared);
        let done = tokio::spawn(async move { shared.registry.compact().await });
        done.await.unwrap_or_else(|_| Err(Error::storage(StorageFailure::Defect, "compressing the audit panicked")))
    }

    async fn read_with(&self, mut work: AuditWork) -> Result<()> {
        let mut lease = self.shared.registry.reader().await?;
        work(&mut Reading(lease.conn()?)).await
    }
}

/// The audit of the system, in one snapshot.
struct Reading<'c>(&'c mut Conn);

#[async_trait]
impl AuditReader for Reading<'_> {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        In::new(self.0, &Log::SYSTEM).range().await
    }
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        entries(&mut In::new(self.0, &Log::SYSTEM), query).await
    }
}
