//! Vaults on SQLite: one file per user, and `system.db` for the little global data.
//!
//! `vaults` holds the open vaults, `vault` is one of them, and `readers` and `writer` are its connections. `reader` and
//! `tx` implement the operations of the ports, one file per concern. `registry` is `system.db`, and `schema` the
//! tables. Reading connections refuse every write.
//!
//! SQLite computes on the calling thread. A read runs on one of the `read_threads` with all of its statements, a group of
//! transactions on a thread for blocking work. Other statements, such as those of the registry, are short; while one
//! runs, tokio moves other tasks off its thread (`blocking.rs`).

mod audit;
pub(crate) mod conn;
mod declared;
mod erasure;
pub(crate) mod errors;
mod export;
mod file;
mod files;
mod filter;
mod folders;
mod fts;
mod identity;
mod in_use;
mod layout;
pub(crate) mod moving;
mod notes;
pub(crate) mod options;
mod owner;
pub(crate) mod pragmas;
mod quarantine;
mod read_threads;
pub(crate) mod reader;
mod readers;
mod registry;
mod room;
pub(crate) mod rows;
pub(crate) mod schema;
mod shared;
mod template;
mod texts;
mod turn;
mod tx;
mod upkeep;
mod vault;
mod vaults;
mod writer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use kimberly_core::error::Result;
use kimberly_core::ports::{Clock, Credentials, Purges, Quarantine, Registry, SystemAudit, Vaults, WorkingMemory};
use kimberly_core::working::WorkingLimits;
use tokio::sync::Notify;

use crate::cache::Budget;
use crate::sealed::Analyser;
use crate::signals::Signals;
use crate::working::WorkingInProcess;
use layout::Layout;
pub use options::SqliteOptions;
pub use registry::{Registered, ScrubNote};
use registry::{RegistryPort, SystemDb};
use shared::Shared;
use template::Template;
use vaults::{OpenVaults, VaultsPort};

/// Interval between sweeps for idle vaults.
const SWEEP: Duration = Duration::from_secs(15);

/// The vaults and the registry of one data folder. Any number of processes may open the same folder.
#[derive(Clone)]
pub struct SqliteStore {
    shared: Arc<Shared>,
    vaults: Arc<OpenVaults>,
}

impl SqliteStore {
    /// Opens a data folder, creating it if necessary. Vaults are opened on first use.
    ///
    /// Must be called within a tokio runtime with time and I/O.
    // Boxed: compiled here once, and not by each crate that awaits it.
    pub fn open(options: SqliteOptions, clock: Arc<dyn Clock>) -> BoxFuture<'static, Result<Self>> {
        Box::pin(async move {
            pragmas::silence()?;
            let layout = Layout::new(options.data_dir.clone());
            let folder = layout.vaults();
            files::off_thread(move || files::make_folder(&folder))
                .await?
                .map_err(|e| errors::io("creating the data folder", &e))?;
            let in_use = in_use::beside_others(&layout).await?;
            let shared = Arc::new(Shared {
                _in_use: in_use,
                template: Template::new(&layout),
                registry: SystemDb::open(&layout, &options).await?,
                clock,
                columns: Arc::new(Budget::new(options.kept_bytes)),
                analyser: Arc::new(Analyser::new(options.clone())),
                outbox: Arc::new(Notify::new()),
                signals: Signals::default(),
                examining: tokio::sync::Mutex::default(),
                started: Instant::now(),
                layout,
                options,
            });
            let vaults = OpenVaults::new(Arc::clone(&shared));
            tokio::spawn(OpenVaults::sweep(Arc::downgrade(&vaults), SWEEP.min(shared.options.vault_idle)));
            Ok(Self { shared, vaults })
        })
    }

    /// The vaults of all users.
    pub fn vaults(&self) -> Arc<dyn Vaults> {
        Arc::new(VaultsPort(Arc::clone(&self.vaults)))
    }

    /// The registry of users.
    pub fn registry(&self) -> Arc<dyn Registry> {
        Arc::new(RegistryPort { shared: Arc::clone(&self.shared), vaults: Arc::clone(&self.vaults) })
    }

    /// The audit of the system.
    pub fn audit(&self) -> Arc<dyn SystemAudit> {
        Arc::new(RegistryPort { shared: Arc::clone(&self.shared), vaults: Arc::clone(&self.vaults) })
    }

    /// The credentials of callers.
    pub fn credentials(&self) -> Arc<dyn Credentials> {
        Arc::new(RegistryPort { shared: Arc::clone(&self.shared), vaults: Arc::clone(&self.vaults) })
    }

    /// Working memory inside this process.
    pub fn working(&self, limits: WorkingLimits) -> Arc<dyn WorkingMemory> {
        Arc::new(WorkingInProcess::new(limits))
    }

    /// Purges of users.
    pub fn purges(&self) -> Arc<dyn Purges> {
        Arc::new(RegistryPort { shared: Arc::clone(&self.shared), vaults: Arc::clone(&self.vaults) })
    }

    /// Damaged vaults.
    pub fn quarantine(&self) -> Arc<dyn Quarantine> {
        Arc::new(RegistryPort { shared: Arc::clone(&self.shared), vaults: Arc::clone(&self.vaults) })
    }

    /// Notified after each commit that put a job in an outbox.
    pub fn outbox_signal(&self) -> Arc<Notify> {
        Arc::clone(&self.shared.outbox)
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("data_dir", &self.shared.options.data_dir).finish_non_exhaustive()
    }
}
