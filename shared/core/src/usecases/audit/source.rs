//! The audit to read.

use std::sync::Arc;

use crate::audit::vault_log;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{AuditReader, BoxFuture, SystemAudit};
use crate::usecases::App;

/// The audit to read.
#[derive(Clone)]
pub enum AuditOf {
    /// The audit of a user's vault.
    User(UserId),
    /// The audit of the system.
    System(Arc<dyn SystemAudit>),
}

impl AuditOf {
    /// Returns the user's id; for the system an empty text, which no user can have.
    pub(super) fn user(&self) -> &str {
        match self {
            Self::User(user) => user.as_str(),
            Self::System(_) => "",
        }
    }

    /// Returns the name of the log.
    pub(super) async fn log(&self) -> Result<String> {
        match self {
            Self::User(user) => Ok(vault_log(user)),
            Self::System(audit) => audit.name().await,
        }
    }

    /// Runs a read on one snapshot.
    pub(super) async fn read<T, F>(&self, app: &App, mut f: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'r> FnMut(&'r mut dyn AuditReader) -> BoxFuture<'r, Result<T>> + Send + 'static,
    {
        match self {
            Self::User(user) => app.vaults.read(user, move |reader| f(reader)).await,
            Self::System(audit) => audit.read(f).await,
        }
    }
}
