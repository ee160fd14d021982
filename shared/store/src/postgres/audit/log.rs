//! Where an audit lies: that of each vault beside those of others, that of the system apart.

use kimberly_core::audit::vault_log;
use kimberly_core::error::Result;

use super::stored::In;
use crate::audit::compact;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::rows::Cells;

const NAME: &str = "SELECT name FROM system_audit_log WHERE one = 1";

/// One of the logs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Log {
    /// Of the vault that a transaction is about.
    Vault,
    /// Of the system.
    System,
}

impl Log {
    /// Its entries, with a condition that others can follow.
    pub(super) const fn entries(self) -> &'static str {
        match self {
            Self::Vault => "audit WHERE user_id = $1",
            Self::System => "system_audit WHERE true",
        }
    }

    /// Its segments, with a condition that others can follow.
    pub(super) const fn segments(self) -> &'static str {
        match self {
            Self::Vault => "audit_segments WHERE user_id = $1",
            Self::System => "system_audit_segments WHERE true",
        }
    }

    /// What those conditions take.
    pub(super) fn args(self, conn: &Conn) -> Args {
        match self {
            Self::Vault => conn.args(),
            Self::System => Args::none(),
        }
    }
}

/// Packs the oldest rows of the audit of the vault.
pub(crate) async fn compact_vault(conn: &mut Conn) -> Result<usize> {
    let name = vault_log(conn.user()?);
    compact(&mut In::new(conn, Log::Vault), &name).await
}

/// Packs the oldest rows of the audit of the system.
pub(crate) async fn compact_system(conn: &mut Conn) -> Result<usize> {
    let name = system_name(conn).await?;
    compact(&mut In::new(conn, Log::System), &name).await
}

/// The name of the audit of the system, which begins its chain.
pub(crate) async fn system_name(conn: &mut Conn) -> Result<String> {
    let name = conn.row("reading the name of the audit", NAME, Args::none(), |row| Cells::new(row).text()).await?;
    name.ok_or_else(|| errors::corrupt("the audit of the system has no name"))
}
