//! The tables of audits: one for all vaults, a separate one for the system.

use kimberly_core::audit::vault_log;
use kimberly_core::error::Result;

use super::stored::In;
use crate::audit::compact;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

const NAME: &str = "SELECT name FROM system_audit_log WHERE one = 1";

/// Selects a log.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Log {
    /// The audit of the transaction's vault.
    Vault,
    /// The audit of the system.
    System,
}

impl Log {
    /// Returns the table of entries with a condition, to which others can be appended.
    pub(super) const fn entries(self) -> &'static str {
        match self {
            Self::Vault => "audit WHERE user_id = $1",
            Self::System => "system_audit WHERE true",
        }
    }

    /// Returns the table of segments with a condition, to which others can be appended.
    pub(super) const fn segments(self) -> &'static str {
        match self {
            Self::Vault => "audit_segments WHERE user_id = $1",
            Self::System => "system_audit_segments WHERE true",
        }
    }

    /// Returns the arguments of those conditions.
    pub(super) fn args(self, conn: &Conn) -> Args {
        match self {
            Self::Vault => conn.args(),
            Self::System => Args::none(),
        }
    }
}

/// Packs the oldest rows of the vault's audit.
pub(crate) async fn compact_vault(conn: &mut Conn) -> Result<usize> {
    let name = vault_log(conn.user()?);
    compact(&mut In::new(conn, Log::Vault), &name).await
}

/// Packs the oldest rows of the system's audit.
pub(crate) async fn compact_system(conn: &mut Conn) -> Result<usize> {
    let name = system_name(conn).await?;
    compact(&mut In::new(conn, Log::System), &name).await
}

/// Returns the name of the system's audit, from which the first entry's hash is derived.
pub(crate) async fn system_name(conn: &mut Conn) -> Result<String> {
    let name = conn.row("reading the id of the audit", NAME, Args::none(), |row| Cells::new(row).text()).await?;
    name.ok_or_else(|| errors::corrupt("the audit of the system has no name"))
}
