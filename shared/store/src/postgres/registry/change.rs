//! Changes of the registry, told in the audit of the system in the same transaction.

use std::sync::Arc;

use kimberly_core::audit::Actor;
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditEntry, By};

use super::RegistryPort;
use crate::postgres::audit;
use crate::postgres::conn::{Args, Conn};

/// Each change of the registry locks this row to the end of its transaction: changes come one after the other, and what a
/// statement counts or looks for stays so.
const LOCK: &str = "SELECT 1 FROM system_audit_log WHERE one = 1 FOR UPDATE";

/// A change of the registry.
pub(super) struct Change {
    pub(super) doing: &'static str,
    pub(super) sql: &'static str,
    pub(super) args: Args,
}

/// What is noted of a change, if it changes anything.
pub(super) fn told(by: &By, action: &'static str, subject: &str) -> AuditEntry {
    AuditEntry {
        at: by.at,
        actor: Actor::Named(Arc::clone(&by.actor)),
        action,
        refused: None,
        subject: Some(subject.to_owned()),
        count: 1,
    }
}

impl RegistryPort {
    /// Makes a change and tells it, in one transaction; returns the rows that it changed, and tells nothing if there are
    /// none.
    pub(super) async fn change(&self, change: Change, entry: AuditEntry) -> Result<u64> {
        let mut conn = self.0.registry().await?;
        let done = make(&mut conn, change, &[entry]).await;
        conn.end(done).await
    }
}

/// Makes a change and tells it, within a transaction.
pub(super) async fn make(conn: &mut Conn, change: Change, entries: &[AuditEntry]) -> Result<u64> {
    lock(conn).await?;
    let changed = conn.run(change.doing, change.sql, change.args).await?;
    if changed > 0 {
        audit::append_system(conn, entries).await?;
    }
    Ok(changed)
}

/// Waits until nobody else changes the registry.
pub(super) async fn lock(conn: &mut Conn) -> Result<()> {
    conn.run("waiting to change the registry", LOCK, Args::none()).await.map(drop)
}
