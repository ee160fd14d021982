//! The store of a process, whichever backend it has.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::place::PostgresPlace;
use kimberly_core::ports::{
    BoxFuture, Clock, Credentials, Purges, Quarantine, Registry, SystemAudit, Vaults, WorkingMemory,
};
use kimberly_core::working::WorkingLimits;
use kimberly_crypto::{KeyStore, Keys};
use tokio::sync::Notify;

use crate::{PgKeyStore, PgOptions, PgStore, PgVectors, RingNotes, SqliteOptions, SqliteStore, VectorOptions};

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

/// Where wrapped keys lie if not in the data folder.
pub fn key_store(place: Option<&PostgresPlace>) -> Result<Option<Arc<dyn KeyStore>>> {
    let Some(place) = place else { return Ok(None) };
    Ok(Some(Arc::new(PgKeyStore::open(PgOptions::at(place, Keys::off()))?)))
}

impl Store {
    /// Opens what is named: a database, else the data folder. Of `files`, a database takes keys and the size of caches.
    pub fn open(
        place: Option<&PostgresPlace>,
        files: SqliteOptions,
        clock: Arc<dyn Clock>,
    ) -> BoxFuture<'_, Result<Self>> {
        // Compiled here, not once more in each program.
        Box::pin(async move {
            if let Some(place) = place {
                let kept_bytes = files.kept_bytes;
                let options = PgOptions { kept_bytes, ..PgOptions::at(place, files.keys) };
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

    /// What is kept of the keys of rings.
    pub fn ring_notes(&self) -> RingNotes {
        ask!(self, ring_notes)
    }

    /// Whether everything was moved to this database, and what was under way was not taken up yet. A data folder says so itself.
    pub async fn has_arrived(&self) -> Result<bool> {
        match self {
            Self::Sqlite(_) => Ok(false),
            Self::Postgres(store) => store.has_arrived().await,
        }
    }

    /// Keeps that it was.
    pub async fn is_taken_up(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(store) => store.is_taken_up().await,
        }
    }

    /// Vectors, where they lie in the database; or why there are none.
    pub async fn vectors(&self) -> Result<Option<PgVectors>> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(store) => store.vectors(VectorOptions::default()).await.map(Some),
        }
    }

    /// Working memory: in this process beside files, in the database where there is one.
    pub fn working(&self, limits: WorkingLimits) -> Arc<dyn WorkingMemory> {
        match self {
            Self::Sqlite(store) => store.working(limits),
            Self::Postgres(store) => store.working(limits),
        }
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
