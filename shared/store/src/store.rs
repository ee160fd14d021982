//! The store of a process, whichever backend it has.

use std::sync::Arc;

use kimberly_core::ports::{Credentials, Purges, Quarantine, Registry, SystemAudit, Vaults};
use tokio::sync::Notify;

use crate::{PgStore, SqliteStore};

/// Vaults and registry: a file per user in the data folder, or all in one database.
#[derive(Clone, Debug)]
pub enum Store {
    /// In the data folder.
    Sqlite(SqliteStore),
    /// In a database that any number of machines share.
    Postgres(PgStore),
}

/// The same question to whichever it is.
macro_rules! ask {
    ($store:expr, $ask:ident) => {
        match $store {
            Store::Sqlite(store) => store.$ask(),
            Store::Postgres(store) => store.$ask(),
        }
    };
}

impl Store {
    /// The vaults of all users.
    pub fn vaults(&self) -> Arc<dyn Vaults> {
        ask!(self, vaults)
    }

    /// The registry of users.
    pub fn registry(&self) -> Arc<dyn Registry> {
        ask!(self, registry)
    }

    /// The audit of the system.
    pub fn audit(&self) -> Arc<dyn SystemAudit> {
        ask!(self, audit)
    }

    /// The credentials of callers.
    pub fn credentials(&self) -> Arc<dyn Credentials> {
        ask!(self, credentials)
    }

    /// Purges of users.
    pub fn purges(&self) -> Arc<dyn Purges> {
        ask!(self, purges)
    }

    /// Vaults that are damaged.
    pub fn quarantine(&self) -> Arc<dyn Quarantine> {
        ask!(self, quarantine)
    }

    /// Notified after each commit of this process that put a job in an outbox.
    pub fn outbox_signal(&self) -> Arc<Notify> {
        ask!(self, outbox_signal)
    }

    /// The files, for what only they need.
    pub fn files(&self) -> Option<&SqliteStore> {
        match self {
            Self::Sqlite(store) => Some(store),
            Self::Postgres(_) => None,
        }
    }
}

impl From<SqliteStore> for Store {
    fn from(store: SqliteStore) -> Self {
        Self::Sqlite(store)
    }
}

impl From<PgStore> for Store {
    fn from(store: PgStore) -> Self {
        Self::Postgres(store)
    }
}
