//! Wires the worker process.

use std::ffi::OsString;
use std::sync::Arc;

use kimberly_blobs::BlobStore;
use kimberly_core::ports::Blobs;
use kimberly_core::usecases::App;
use kimberly_index::{IndexReader, Options};
use kimberly_queue::{Queue, QueueOptions};
use kimberly_runtime::{Boot, Failure, MainResult, Start, token_key};
use kimberly_store::{SqliteOptions, Store, key_store};

use crate::alerts::{Alerts, Webhook};
use crate::checkpoints::Checkpoints;
use crate::purge::Embedder;
use crate::rings::Rotation;
use crate::scrub::Scrub;
use crate::{Pace, Purger, Worker, distribute, health, migrate, register, revive, shared_files};

/// Open vaults besides those of running jobs, for the relay and the scheduler.
const SPARE_VAULTS: usize = 2;
/// Page cache for all vaults; small, since a run reads everything once.
const PAGE_CACHE_BYTES: u64 = 16 << 20;

/// Runs the process with these arguments, or one of the programs that commands start.
pub fn run(arguments: Vec<OsString>) -> ! {
    match arguments.first().and_then(|first| first.to_str()) {
        Some("migrate") => migrate::main(),
        Some("distribute") => distribute::main(),
        Some("register") => register::main(),
        _ => {}
    }
    let start = Start::new("kimberly-worker").in_background();
    start.with_keys_in(|config| Ok(key_store(config.postgres.database().as_ref())?)).run(arguments, work)
}

async fn work(boot: Boot) -> MainResult {
    let config = &boot.config.worker;
    let listener = boot.listen("worker.listen", config.listen).await?;
    let database = boot.config.postgres.database();
    let store = Store::open(database.as_ref(), store_options(&boot), boot.clock.clone()).await?;
    let queue = Queue::open_at(database.as_ref(), &boot.config.data_dir, queue_options(&boot)?).await?;
    let s3 = &boot.config.attachments.s3;
    let reserve = boot.config.vaults.reserve.0;
    let blobs = BlobStore::open(&boot.config.data_dir, boot.keys.clone(), s3, database.as_ref(), reserve)?;
    let blobs: Arc<dyn Blobs> = Arc::new(blobs);
    let token_key = token_key(&boot.keys, &*store.audit()).await?;
    let app = app(&boot, &store, Arc::clone(&blobs)).await?.with_token_key(token_key);
    let rotation = Rotation { keys: boot.keys.clone(), notes: store.ring_notes(), clock: boot.clock.clone() };
    let rotating = tokio::spawn(rotation.run(boot.shutdown.token()));
    let files = tokio::spawn(of_files(&boot, &store, &app, &queue));
    let alerting = tokio::spawn(alerts(&boot, &store, &app, &queue).run(boot.shutdown.token()));
    let worker = Worker {
        app: app.clone(),
        registry: store.registry(),
        audit: store.audit(),
        checkpoints: checkpoints(&boot, &store, app),
        purger: purger(&boot, &store, &queue, Arc::clone(&blobs)),
        queue: queue.clone(),
        outbox_signal: store.outbox_signal(),
        pace: Pace {
            concurrency: config.concurrency,
            schedule_interval: config.schedule_interval.0,
            sweep_interval: config.sweep_interval.0,
            keep_finished: config.keep_finished.0,
        },
    };
    let flags = revive::LossFlags { data: boot.config.data_dir.clone(), store: store.clone(), queue: queue.clone() };
    let reviving = tokio::spawn(revive::run(worker.app.clone(), store.registry(), flags, boot.shutdown.token()));
    boot.announce(listener.local_addr()?, None);
    let ended = tokio::try_join!(worker.run(boot.shutdown.token()), health::serve(listener, boot.shutdown.clone()));
    boot.shutdown.request();
    let _ = tokio::join!(files, alerting, rotating, reviving);
    store.vaults().close().await;
    queue.close().await;
    ended.map(|_| ())
}

/// Starts the tasks that only a data folder needs: the scrub of vaults and the check of shared files. They run until
/// the process ends.
fn of_files(boot: &Boot, store: &Store, app: &App, queue: &Queue) -> impl Future<Output = ()> + use<> {
    let token = || boot.shutdown.token();
    let work = store.files().map(|files| {
        let in_vaults = boot.config.attachments.s3.endpoint.is_empty();
        let scrub = Scrub {
            attachments: in_vaults.then(|| app.clone()),
            metrics: boot.metrics.clone(),
            quarantine: files.quarantine(),
            registry: files.registry(),
            note: files.scrub_note(),
            interval: boot.config.worker.scrub_interval.0,
        };
        (
            Scrub::count(files.quarantine(), boot.metrics.clone(), token()),
            scrub.run(token()),
            token().run_until_cancelled_owned(files.clone().look_after_files()),
            shared_files::run(files.quarantine(), queue.clone(), token()),
        )
    });
    async move {
        if let Some((counting, scrubbing, looking, reading)) = work {
            let (counting, scrubbing) = (tokio::spawn(counting), tokio::spawn(scrubbing));
            let _ = tokio::join!(counting, scrubbing, tokio::spawn(looking), tokio::spawn(reading));
        }
    }
}

fn alerts(boot: &Boot, store: &Store, app: &App, queue: &Queue) -> Alerts {
    let config = &boot.config.alerts;
    Alerts {
        app: app.clone(),
        registry: store.registry(),
        audit: store.audit(),
        queue: queue.clone(),
        metrics: boot.metrics.clone(),
        quota_share: config.quota_share,
        webhook: config.webhook_address().map(|(address, path)| Webhook { address, path }),
    }
}

/// Creates the writer of checkpoints. Returns `None` without a checkpoint folder, or without encryption and thus
/// without a signing key.
fn checkpoints(boot: &Boot, store: &Store, app: App) -> Option<Checkpoints> {
    let config = &boot.config.audit;
    let folder = config.checkpoint_dir.clone()?;
    let Some(signer) = kimberly_runtime::signer(&boot.keys) else {
        tracing::warn!(
            "audit.checkpoint_dir is set, but nothing is written there: encryption is off, so there is no signing key"
        );
        return None;
    };
    Some(Checkpoints { app, audit: store.audit(), signer, folder, every: config.checkpoint_every.0 })
}

fn purger(boot: &Boot, store: &Store, queue: &Queue, blobs: Arc<dyn Blobs>) -> Purger {
    let token = boot.keys.internal_token();
    let embedder =
        Embedder::new(format!("http://{}", boot.config.embedder.listen), token.as_ref().map(|token| token.as_str()));
    let folder = boot.config.data_dir.clone();
    Purger::new(store.purges(), boot.clock.clone(), queue.clone(), blobs, (folder, embedder))
}

/// Creates the use cases. If a model is configured, they read vectors, to relate memories to goals.
async fn app(boot: &Boot, store: &Store, blobs: Arc<dyn Blobs>) -> Result<App, Failure> {
    let (clock, ids) = (boot.clock.clone(), boot.ids.clone());
    let app = App::new(store.vaults(), clock, ids, boot.defaults.clone(), boot.observer.clone());
    let app = app.with_blobs(blobs).with_language_model(boot.language_model()?);
    if !boot.defaults.embedding.on {
        return Ok(app);
    }
    if let Some(vectors) = store.vectors().await? {
        return Ok(app.with_vectors(Arc::new(vectors)));
    }
    let max_open = boot.config.worker.concurrency.saturating_add(SPARE_VAULTS);
    let options = Options { max_open, ..Options::default() };
    Ok(app.with_vectors(Arc::new(IndexReader::new(boot.config.data_dir.clone(), options))))
}

/// Keeps few vaults open, whatever the number of users: a run uses a vault once and then not for days.
fn store_options(boot: &Boot) -> SqliteOptions {
    let vaults = &boot.config.vaults;
    let enough = boot.config.worker.concurrency.saturating_add(SPARE_VAULTS);
    SqliteOptions {
        keys: boot.keys.clone(),
        max_open: vaults.max_open.min(enough),
        page_cache_bytes: PAGE_CACHE_BYTES,
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
        max_attempts: boot.config.worker.max_attempts,
        stop_bound: boot.shutdown.soft_bound(),
        ..QueueOptions::default()
    })
}
