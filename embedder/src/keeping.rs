//! Puts together what keeps vectors, once there is a model: vaults, registry, queue, indices.

use std::sync::Arc;

use kimberly_core::ports::{VectorReader, VectorWriter};
use kimberly_core::usecases::App;
use kimberly_core::usecases::embedding::VectorKeeper;
use kimberly_index::{IndexWriter, Options};
use kimberly_queue::{EMBED_QUEUE, Queue, QueueOptions};
use kimberly_runtime::{Boot, Failure, MainResult};
use kimberly_store::{SqliteOptions, SqliteStore};

use crate::models::Models;
use crate::service::Store;
use crate::sync::{Documents, Pace, Sync, Turns};

/// Vaults held open besides those that are worked on, for the relay and the sweep.
const SPARE_VAULTS: usize = 2;
/// Page cache for all vaults; a sync reads what changed, once.
const PAGE_CACHE_BYTES: u64 = 8 << 20;

/// What keeps vectors.
pub struct Keeping {
    sync: Sync,
    store: SqliteStore,
    queue: Queue,
    service: Store,
}

impl Keeping {
    /// Opens what it takes. Not to be called without a model: then nothing of this is opened.
    pub async fn open(boot: &Boot, models: &Models) -> Result<Self, Failure> {
        let store = SqliteStore::open(store_options(boot), boot.clock.clone()).await?;
        let queue = Queue::open_with(boot.config.data_dir.join("queue.db"), queue_options(boot)).await?;
        let indices = Arc::new(IndexWriter::new(boot.config.data_dir.clone(), Options::default()));
        let (reader, writer): (Arc<dyn VectorReader>, Arc<dyn VectorWriter>) = (indices.clone(), indices);
        let app = App::new(
            store.vaults(),
            boot.clock.clone(),
            boot.ids.clone(),
            boot.defaults.clone(),
            boot.observer.clone(),
        )
        .with_vectors(reader);
        let model = Arc::new(Documents::new(models.current().clone()));
        let keeper = VectorKeeper { vectors: writer, model, registry: store.registry() };
        let turns = Turns::default();
        let config = &boot.config.embedding;
        let sync = Sync {
            app: app.clone(),
            keeper: keeper.clone(),
            queue: queue.clone(),
            turns: turns.clone(),
            pace: Pace { concurrency: config.concurrency, sweep_interval: config.sweep_interval.0 },
        };
        Ok(Self { sync, store, queue, service: Store::new(app, keeper, turns) })
    }

    /// What takes vectors that come from elsewhere.
    pub fn service(&self) -> Store {
        self.service.clone()
    }

    /// Keeps vectors until a stop is asked for, then closes everything.
    pub async fn run(self, boot: &Boot) -> MainResult {
        let ended = self.sync.run(boot.shutdown.token()).await;
        self.store.vaults().close().await;
        self.queue.close().await;
        ended
    }
}

fn store_options(boot: &Boot) -> SqliteOptions {
    let vaults = &boot.config.vaults;
    let enough = boot.config.embedding.concurrency.saturating_add(SPARE_VAULTS);
    SqliteOptions {
        max_open: vaults.max_open.min(enough),
        page_cache_bytes: PAGE_CACHE_BYTES,
        column_cache_bytes: 0,
        vault_idle: vaults.idle_close.0,
        busy_timeout: vaults.busy_timeout.0,
        ..SqliteOptions::new(boot.config.data_dir.clone())
    }
}

fn queue_options(boot: &Boot) -> QueueOptions {
    QueueOptions {
        name: EMBED_QUEUE.to_owned(),
        max_attempts: boot.config.worker.max_attempts,
        stop_bound: boot.shutdown.soft_bound(),
        ..QueueOptions::default()
    }
}
