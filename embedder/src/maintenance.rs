//! Opens what vector maintenance needs once a model is configured: vaults, registry, queue, indices.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use kimberly_core::ports::{VectorReader, VectorWriter};
use kimberly_core::usecases::App;
use kimberly_core::usecases::embedding::VectorUpdater;
use kimberly_index::{IndexWriter, Options};
use kimberly_queue::{EMBED_QUEUE, Queue, QueueOptions};
use kimberly_runtime::{Boot, Failure, MainResult};
use kimberly_store::{SqliteOptions, Store as Vaults};

use crate::models::Models;
use crate::service::Store;
use crate::sync::{Documents, Pace, Sync, Turns};

/// Open vaults besides those being synced, for the relay and the sweep.
const SPARE_VAULTS: usize = 2;
/// Page cache for all vaults; small, since a sync reads each change once.
const PAGE_CACHE_BYTES: u64 = 8 << 20;

/// The parts of vector maintenance.
pub struct VectorMaintenance {
    sync: Sync,
    store: Vaults,
    queue: Queue,
    service: Store,
    /// The lock that allows this process to write indices beside vaults.
    _alone: Option<File>,
}

impl VectorMaintenance {
    /// Opens all parts. Call only with a model: without one, nothing of this is opened.
    pub async fn open(boot: &Boot, models: &Models) -> Result<Self, Failure> {
        let database = boot.config.postgres.database();
        let store = Vaults::open(database.as_ref(), store_options(boot), boot.clock.clone()).await?;
        let Indices { reader, writer, turns, alone } = indices(boot, &store).await?;
        let queue = Queue::open_at(database.as_ref(), &boot.config.data_dir, queue_options(boot)?).await?;
        let app = App::new(
            store.vaults(),
            boot.clock.clone(),
            boot.ids.clone(),
            boot.defaults.clone(),
            boot.observer.clone(),
        )
        .with_vectors(reader);
        let model = Arc::new(Documents::new(models.current().clone()));
        let updater = VectorUpdater { vectors: writer, model, registry: store.registry() };
        let config = &boot.config.embedding;
        let sync = Sync {
            app: app.clone(),
            updater: updater.clone(),
            queue: queue.clone(),
            turns: turns.clone(),
            pace: Pace { concurrency: config.concurrency, sweep_interval: config.sweep_interval.0 },
        };
        Ok(Self { sync, store, queue, service: Store::new(app, updater, turns), _alone: alone })
    }

    /// The service that stores vectors computed elsewhere.
    pub fn service(&self) -> Store {
        self.service.clone()
    }

    /// Maintains vectors until a stop is requested, then closes everything.
    pub async fn run(self, boot: &Boot) -> MainResult {
        let ended = self.sync.run(boot.shutdown.token()).await;
        self.store.vaults().close().await;
        self.queue.close().await;
        ended
    }
}

/// The indices, and the locks on their users.
struct Indices {
    reader: Arc<dyn VectorReader>,
    writer: Arc<dyn VectorWriter>,
    turns: Turns,
    alone: Option<File>,
}

/// Indices in the database, shared by any number of embedders, or else beside the vaults.
async fn indices(boot: &Boot, store: &Vaults) -> Result<Indices, Failure> {
    if let Some(vectors) = store.vectors().await? {
        let vectors = Arc::new(vectors);
        let (reader, writer): (Arc<dyn VectorReader>, Arc<dyn VectorWriter>) = (vectors.clone(), vectors.clone());
        return Ok(Indices { reader, writer, turns: Turns::among(vectors), alone: None });
    }
    let alone = Some(alone(&boot.config.data_dir)?);
    let indices = Arc::new(IndexWriter::new(boot.config.data_dir.clone(), Options::default()));
    Ok(Indices { reader: indices.clone(), writer: indices, turns: Turns::default(), alone })
}

/// Locks the indices of a data folder until the file is dropped or the process ends: two embedders would undo each
/// other's changes.
fn alone(data_dir: &Path) -> Result<File, Failure> {
    let path = data_dir.join("embedder.lock");
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(format!("{} cannot be locked: {error}", path.display()), "check the folder's owner and mode")
    };
    let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = file.map_err(|error| failed(&error))?;
    match file.try_lock() {
        Ok(()) => {
            // Read only by a second embedder, for its error.
            let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            Err(Failure::new(
                format!("another embedder (process {holder}) works on the data folder {}", data_dir.display()),
                "use or stop that one, or name another folder with KIMBERLY_DATA_DIR",
            ))
        }
        Err(TryLockError::Error(error)) => Err(failed(&error)),
    }
}

fn store_options(boot: &Boot) -> SqliteOptions {
    let vaults = &boot.config.vaults;
    let enough = boot.config.embedding.concurrency.saturating_add(SPARE_VAULTS);
    SqliteOptions {
        keys: boot.keys.clone(),
        max_open: vaults.max_open.min(enough),
        page_cache_bytes: PAGE_CACHE_BYTES,
        kept_bytes: 0,
        vault_idle: vaults.idle_close.0,
        busy_timeout: vaults.busy_timeout.0,
        reserve: vaults.reserve.0,
        background: true,
        ..SqliteOptions::new(boot.config.data_dir.clone())
    }
}

fn queue_options(boot: &Boot) -> Result<QueueOptions, Failure> {
    Ok(QueueOptions {
        key: boot.keys.queue()?.map(Arc::new),
        name: EMBED_QUEUE.to_owned(),
        max_attempts: boot.config.worker.max_attempts,
        stop_bound: boot.shutdown.soft_bound(),
        ..QueueOptions::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_embedder_on_a_folder_is_refused_with_the_process_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let first = alone(folder.path()).unwrap();
        let refused = alone(folder.path()).unwrap_err().message();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(first);
        alone(folder.path()).unwrap();
    }
}
