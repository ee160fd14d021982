//! Vaults on Postgres: the rows of all users in one database, with `user_id` first in every key. Any number of
//! processes on any number of machines can work on them, on one server, with replicas, or distributed by user.
//!
//! `vaults` runs works, `conn` is the transaction of one, and `head` is the vault's row on which its writers wait for
//! each other. `reader` and `tx` implement the operations of the ports, one file per concern. `registry` holds data
//! shared by all users, `schema` the tables, `user_states` a process's caches, and `vectors` the vector indices, which need
//! pgvector.

mod audit;
mod citus;
mod conn;
mod declared;
mod ending;
mod erasure;
mod errors;
mod filter;
mod head;
mod keys;
pub(crate) mod moving;
mod notes;
mod options;
mod pool;
mod quarantine;
mod reader;
mod registry;
mod rows;
mod schema;
mod shared;
mod statement;
mod text;
mod tx;
mod user_states;
mod vaults;
mod vectors;
mod working;
mod works;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::future::BoxFuture;
use kimberly_core::error::Result;
use kimberly_core::ports::{Clock, Credentials, Purges, Quarantine, Registry, SystemAudit, Vaults, WorkingMemory};
use kimberly_core::working::WorkingLimits;
use tokio::sync::Notify;

pub use citus::{Distributed, distribute};
pub use keys::PgKeyStore;
pub use options::PgOptions;
use pool::Pool;
use registry::RegistryPort;
pub use schema::Migration;
use shared::Shared;
use user_states::UserStates;
use vaults::VaultsPort;
pub use vectors::{GRAPH_FROM, PgVectors, VectorOptions};
use working::WorkingPort;

use crate::sealed::Analyser;
use crate::signals::Signals;

/// The vaults and the registry in one database. Any number of processes may open the same database.
#[derive(Clone)]
pub struct PgStore {
    shared: Arc<Shared>,
}

impl PgStore {
    /// Connects, and creates or migrates the schema.
    ///
    /// Must be called within a tokio runtime with time and I/O.
    // Boxed: compiled here once, and not by each crate that awaits it.
    pub fn open(options: PgOptions, clock: Arc<dyn Clock>) -> BoxFuture<'static, Result<Self>> {
        Box::pin(async move {
            let no_vectors = schema::prepare(&options).await?;
            let pool = Pool::connect(&options).await?;
            keys::admit(&pool, &options.keys).await?;
            let analyser = Arc::new(Analyser::without_files());
            let histories = pool.histories();
            let shared = Arc::new(Shared {
                pool,
                clock,
                states: UserStates::new(options.kept_bytes, options.keys.clone(), Arc::clone(&analyser), histories),
                analyser,
                outbox: Arc::new(Notify::new()),
                signals: Signals::default(),
                closed: AtomicBool::new(false),
                no_vectors,
                options,
            });
            tokio::spawn(Shared::sweep(Arc::downgrade(&shared)));
            Ok(Self { shared })
        })
    }

    /// The vaults of all users.
    pub fn vaults(&self) -> Arc<dyn Vaults> {
        Arc::new(VaultsPort(Arc::clone(&self.shared)))
    }

    /// The registry of users.
    pub fn registry(&self) -> Arc<dyn Registry> {
        Arc::new(RegistryPort(Arc::clone(&self.shared)))
    }

    /// The audit of the system.
    pub fn audit(&self) -> Arc<dyn SystemAudit> {
        Arc::new(RegistryPort(Arc::clone(&self.shared)))
    }

    /// The credentials of callers.
    pub fn credentials(&self) -> Arc<dyn Credentials> {
        Arc::new(RegistryPort(Arc::clone(&self.shared)))
    }

    /// Purges of users.
    pub fn purges(&self) -> Arc<dyn Purges> {
        Arc::new(RegistryPort(Arc::clone(&self.shared)))
    }

    /// Quarantine on Postgres: only checks, because no vault is ever put aside.
    pub fn quarantine(&self) -> Arc<dyn Quarantine> {
        Arc::new(VaultsPort(Arc::clone(&self.shared)))
    }

    /// Working memory, shared by all processes.
    pub fn working(&self, limits: WorkingLimits) -> Arc<dyn WorkingMemory> {
        Arc::new(WorkingPort { shared: Arc::clone(&self.shared), limits })
    }

    /// Returns why this database has no vectors and what to do; `None` if it has.
    pub fn lacks_for_vectors(&self) -> Option<&str> {
        self.shared.no_vectors.as_deref()
    }

    /// The vectors of all users, to read and to write. Fails if there are none, see [`Self::lacks_for_vectors`].
    ///
    /// Takes a thread and separate connections, so a process needs only one; they end with the last clone.
    // Boxed, as `open` is.
    pub fn vectors(&self, options: VectorOptions) -> BoxFuture<'_, Result<PgVectors>> {
        Box::pin(PgVectors::open(&self.shared, options))
    }

    /// Notified after each commit that put a job in an outbox.
    pub fn outbox_signal(&self) -> Arc<Notify> {
        Arc::clone(&self.shared.outbox)
    }
}

impl std::fmt::Debug for PgStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgStore").field("options", &self.shared.options).finish_non_exhaustive()
    }
}
