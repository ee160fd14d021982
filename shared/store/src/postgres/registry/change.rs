//! Changes of the registry, audited in the same transaction.

use kimberly_core::audit::AuditEntry;
use kimberly_core::error::Result;

use super::RegistryPort;
use crate::postgres::audit;
use crate::postgres::conn::{Args, Conn};

/// Each change of the registry locks this row until its transaction ends. Changes are therefore serialized, and what a
/// statement counts or looks up stays true.
const LOCK: &str = "SELECT 1 FROM system_audit_log WHERE one = 1 FOR UPDATE";

/// A change of the registry.
pub(super) struct Change {
    pub(super) doing: &'static str,
    pub(super) sql: &'static str,
    pub(super) args: Args,
}

impl RegistryPort {
    /// Makes a change and audits it in one transaction. Returns the number of changed rows; without any, nothing is
    /// audited.
    pub(super) async fn change(&self, change: Change, entry: AuditEntry) -> Result<u64> {
        let mut conn = self.0.registry().await?;
        let done = make(&mut conn, change, &[entry]).await;
        conn.end(done).await
    }
}

/// Makes a change and audits it, within a transaction.
pub(super) async fn make(conn: &mut Conn, change: Change, entries: &[AuditEntry]) -> Result<u64> {
    lock(conn).await?;
    let changed = conn.run(change.doing, change.sql, change.args).await?;
    if changed > 0 {
        audit::append_system(conn, entries).await?;
    }
    Ok(changed)
}

/// Waits for all other changes of the registry.
pub(super) async fn lock(conn: &mut Conn) -> Result<()> {
    conn.run("waiting for the registry's write lock", LOCK, Args::none()).await.map(drop)
}
