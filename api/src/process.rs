//! `kimberly api`: serves the contract `kimberly.v1` from the vaults of one data folder or one database.

use std::ffi::OsString;
use std::sync::Arc;

use futures::future::OptionFuture;
use kimberly_blobs::BlobStore;
use kimberly_core::ports::VectorReader;
use kimberly_core::usecases::{App, SemanticRecall};
use kimberly_index::{IndexReader, Options};
use kimberly_queue::{EMBED_QUEUE, Queue, QueueOptions, Relay};
use kimberly_runtime::{Boot, Failure, MainResult, Start, token_key};
use kimberly_store::{SqliteOptions, Store, key_store};

use crate::{Api, Auth, InternalToken, LocalAdmin, VectorStore, semantic, server, tell_failures};

/// One open index per this many open vaults. Reopening an index is cheap, and file descriptors are few.
const INDEX_SHARE: usize = 4;

/// Runs the process with these arguments.
pub fn run(arguments: Vec<OsString>) -> ! {
    let start = Start::new("kimberly-api");
    start.with_keys_in(|config| Ok(key_store(config.postgres.database().as_ref())?)).run(arguments, live)
}

async fn live(boot: Boot) -> MainResult {
    let listener = boot.listen("api.listen", boot.config.api.listen).await?;
    server::refuse_reach(&listener, &boot.config)?;
    let database = boot.config.postgres.database();
    let store = Store::open(database.as_ref(), store_options(&boot), Arc::clone(&boot.clock)).await?;
    // Stored with each job when it is pushed, which is mostly done here.
    let max_attempts = boot.config.worker.max_attempts;
    let options = QueueOptions { max_attempts, key: boot.keys.queue()?.map(Arc::new), ..QueueOptions::default() };
    let queue = Queue::open_at(database.as_ref(), &boot.config.data_dir, options).await?;
    let s3 = &boot.config.attachments.s3;
    let reserve = boot.config.vaults.reserve.0;
    let blobs = BlobStore::open(&boot.config.data_dir, boot.keys.clone(), s3, database.as_ref(), reserve)?;
    let app =
        app(&boot, &store).with_blobs(Arc::new(blobs)).with_token_key(token_key(&boot.keys, &*store.audit()).await?);
    let cross_encoder = semantic::cross_encoder(&boot.config, InternalToken::of(&boot.keys))?;
    let app = app.with_language_model(boot.language_model()?).with_cross_encoder(cross_encoder);
    let (app, embed_queue) = match embeddings(&boot, &store).await? {
        Some((semantic, queue)) => (app.with_semantic(semantic), Some(queue)),
        None => (app, None),
    };
    let local_admin = LocalAdmin::prepare(&boot.config, &*store.credentials(), &*boot.clock).await?;
    let auth = Auth::new(store.credentials(), Arc::clone(&boot.clock), local_admin, &boot.config.auth)?;
    let uses = tokio::spawn(Arc::clone(&auth).run(boot.shutdown.token()));
    let api = api(&boot, &store, (app.clone(), auth), (queue.clone(), embed_queue.clone()));

    let touches = tokio::spawn(Arc::clone(&api.touches).run(app, boot.config.api.touch_interval.0, api.stop.clone()));
    let refusals = tokio::spawn(Arc::clone(&api.refusals).run(store.audit(), api.stop.clone()));
    let (clock, stop) = (Arc::clone(&boot.clock), api.stop.clone());
    let failures = tokio::spawn(tell_failures(boot.metrics.clone(), store.audit(), clock, stop));
    let relay = Relay::new(store.vaults(), store.registry(), queue.clone(), store.outbox_signal());
    let relay = relay.every(boot.config.worker.sweep_interval.0);
    let relay = tokio::spawn(relay.run(api.stop.clone()));
    let files = store.files().map(|files| files.clone().look_after_files());
    let files = files.map(|looking| tokio::spawn(api.stop.clone().run_until_cancelled_owned(looking)));

    boot.announce(listener.local_addr()?, None);
    let served = server::serve(api, &boot.config, listener).await;
    // If serving ends on its own, the other tasks end with it.
    boot.shutdown.request();
    let _ = tokio::join!(touches, refusals, failures, relay, uses, OptionFuture::from(files));
    store.vaults().close().await;
    queue.close().await;
    if let Some(queue) = embed_queue {
        queue.close().await;
    }
    served
}

fn app(boot: &Boot, store: &Store) -> App {
    let (clock, ids) = (Arc::clone(&boot.clock), Arc::clone(&boot.ids));
    App::new(store.vaults(), clock, ids, Arc::clone(&boot.defaults), Arc::clone(&boot.observer))
}

fn api(boot: &Boot, store: &Store, (app, auth): (App, Arc<Auth>), (queue, embed_queue): (Queue, Option<Queue>)) -> Api {
    let telemetry = (boot.metrics.clone(), Arc::clone(&boot.warnings));
    let api = Api::new(
        app,
        (
            store.registry(),
            store.audit(),
            store.purges(),
            store.quarantine(),
            store.working(boot.config.working.limits()),
        ),
        queue,
        auth,
        telemetry,
        &boot.config.limits,
        boot.shutdown.token(),
    )
    .with_keys(boot.keys.clone());
    let api = match kimberly_runtime::signer(&boot.keys) {
        Some(signer) => api.with_signer(signer),
        None => api,
    };
    match embed_queue {
        Some(queue) => {
            let store = VectorStore::new(boot.config.embedder.listen, InternalToken::of(&boot.keys));
            api.with_embeddings(queue, store)
        }
        None => api,
    }
}

/// Opens the parts that only a configured model needs. Without one, none of them is opened.
async fn embeddings(boot: &Boot, store: &Store) -> Result<Option<(SemanticRecall, Queue)>, Failure> {
    if !boot.defaults.embedding.on {
        return Ok(None);
    }
    let key = boot.keys.queue()?.map(Arc::new);
    let options = QueueOptions { name: EMBED_QUEUE.to_owned(), key, ..QueueOptions::default() };
    let queue = Queue::open_at(boot.config.postgres.database().as_ref(), &boot.config.data_dir, options).await?;
    Ok(Some((semantic::recall(&boot.config, InternalToken::of(&boot.keys), vectors(boot, store).await?)?, queue)))
}

async fn vectors(boot: &Boot, store: &Store) -> Result<Arc<dyn VectorReader>, Failure> {
    if let Some(vectors) = store.vectors().await? {
        return Ok(Arc::new(vectors));
    }
    let max_open = (boot.config.vaults.max_open / INDEX_SHARE).max(1);
    let options = Options { max_open, idle: boot.config.vaults.idle_close.0, ..Options::default() };
    Ok(Arc::new(IndexReader::new(boot.config.data_dir.clone(), options)))
}

fn store_options(boot: &Boot) -> SqliteOptions {
    let config = &boot.config;
    SqliteOptions {
        keys: boot.keys.clone(),
        max_open: config.vaults.max_open,
        vault_idle: config.vaults.idle_close.0,
        busy_timeout: config.vaults.busy_timeout.0,
        reserve: config.vaults.reserve.0,
        kept_bytes: config.vaults.kept_bytes.as_usize(),
        ..SqliteOptions::new(&config.data_dir)
    }
}
