//! The audit of a vault, or of the system: entries are linked to the chain in the transaction of what they tell.

use kimberly_core::error::Result;
use kimberly_core::ports::AuditEntry;

use super::conn::Conn;
use super::unported;

/// Adds entries to the chain of the vault.
pub(crate) async fn append(_conn: &mut Conn, entries: &[AuditEntry]) -> Result<()> {
    if entries.is_empty() { Ok(()) } else { Err(unported("audit")) }
}

/// Adds entries to the audit of the system.
pub(crate) async fn append_system(
    _conn: &mut Conn,
    _entries: &[AuditEntry],
) -> Result<kimberly_core::audit::AuditHead> {
    Err(unported("the audit of the system"))
}
