//! The store of a process, on either backend.

use std::sync::Arc;

use kimberly_core::database::PostgresDatabase;
use kimberly_core::error::Result;
use kimberly_core::ports::{
    BoxFuture, Clock, Credentials, Purges, Quarantine, Registry, SystemAudit, Vaults, WorkingMemory,
};
use kimberly_core::working::WorkingLimits;
use kimberly_crypto::{KeyStore, Keys};
use tokio::sync::Notify;

use crate::{PgKeyStore, PgOptions, PgStore, PgVectors, RingNotes, SqliteOptions, SqliteStore, VectorOptions};

/// Vaults and registry: one file per user in the data folder, or one database for all.
#[derive(Clone, Debug)]
pub enum Store {
    /// The data folder.
    Sqlite(SqliteStore),
    /// A database that any number of machines share.
    Postgres(PgStore),
}

/// Delegates a call to the backend.
macro_rules! ask {
    ($store:expr, $ask:ident) => {
        match $store {
            Store::Sqlite(store) => store.$ask(),
            Store::Postgres(store) => store.$ask(),
        }
    };
}

/// Returns the store of wrapped keys if it is not the data folder.
pub fn key_store(database: Option<&PostgresDatabase>) -> Result<Option<Arc<dyn KeyStore>>> {
    let Some(database) = database else { return Ok(None) };
    Ok(Some(Arc::new(PgKeyStore::open(PgOptions::at(database, Keys::off()))?)))
}

impl Store {
    /// Opens the database if `database` names one, otherwise the data folder. A database uses only the keys and the cache
    /// size of `files`.
    pub fn open(
        database: Option<&PostgresDatabase>,
        files: SqliteOptions,
        clock: Arc<dyn Clock>,
    ) -> BoxFuture<'_, Result<Self>> {
        // Boxed, so that it is compiled once here and not in each program.
        Box::pin(async move {
            if let Some(database) = database {
                let kept_bytes = files.kept_bytes;
                let options = PgOptions { kept_bytes, ..PgOptions::at(database, files.keys) };
                return Ok(PgStore::open(options, clock).await?.into());
            }
            Ok(SqliteStore::open(files, clock).await?.into())
        })
    }

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

    /// Records of the keys of key rings.
    pub fn ring_notes(&self) -> RingNotes {
        ask!(self, ring_notes)
    }

    /// Reports whether everything was moved to this database but interrupted work was not resumed yet. A data folder
    /// handles this itself.
    pub async fn has_arrived(&self) -> Result<bool> {
        match self {
            Self::Sqlite(_) => Ok(false),
            Self::Postgres(store) => store.has_arrived().await,
        }
    }

    /// Records that the work was resumed.
    pub async fn is_taken_up(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(store) => store.is_taken_up().await,
        }
    }

    /// Vectors stored in the database; `None` for a data folder, an error that says why if the database has none.
    pub async fn vectors(&self) -> Result<Option<PgVectors>> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(store) => store.vectors(VectorOptions::default()).await.map(Some),
        }
    }

    /// Working memory: in this process for a data folder, otherwise in the database.
    pub fn working(&self, limits: WorkingLimits) -> Arc<dyn WorkingMemory> {
        match self {
            Self::Sqlite(store) => store.working(limits),
            Self::Postgres(store) => store.working(limits),
        }
    }

    /// The file backend, for operations that only it has.
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
