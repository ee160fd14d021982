//! A data folder with store and queue, users with memories, and workers to start and stop.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use kimberly_blobs::BlobStore;
use kimberly_core::meditation::{Meditation, MeditationStatus};
use kimberly_core::memory::MemoryDraft;
use kimberly_core::ports::{Blobs, Clock, NoObserver, Registry, Vaults};
use kimberly_core::settings::{Origin, ServerDefaults};
use kimberly_core::time::Span;
use kimberly_core::usecases::{App, CreateInput, MeditateInput};
use kimberly_core::{MeditationId, Timestamp, UserId};
use kimberly_crypto::Keys;
use kimberly_queue::{Backoff, CancellationToken, Queue, QueueOptions, QueueStats, Relay};
use kimberly_runtime::{MainResult, SystemIds};
use kimberly_store::{SqliteOptions, SqliteStore};
use kimberly_worker::purge::Embedder;
use kimberly_worker::{Pace, Purger, Worker};
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// A Monday in November 2026, 12:00 UTC.
const START: Timestamp = Timestamp(1_794_830_400_000_000);
/// The quota of long-term memories in these tests.
const QUOTA_BYTES: u64 = 8 * 1024;

/// A clock that advances only when told to.
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn advance(&self, span: Span) {
        self.0.fetch_add(span.0, Ordering::AcqRel);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Acquire))
    }
}

pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) store: SqliteStore,
    pub(crate) queue: Queue,
}

pub(crate) fn quick() -> QueueOptions {
    QueueOptions {
        max_attempts: 2,
        retry: Backoff::new(Duration::from_millis(500), Duration::from_secs(1)),
        stop_bound: Duration::from_millis(300),
        ..QueueOptions::default()
    }
}

pub(crate) fn user(name: &str) -> UserId {
    UserId::parse(name).unwrap()
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(TestClock(AtomicI64::new(START.0)));
        let store = open_store(folder.path(), &clock).await;
        let queue = Queue::open_with(folder.path().join("queue.db"), quick()).await.unwrap();
        Self { folder, clock, store, queue }
    }

    /// Opens the store as another process on the same folder would.
    pub(crate) async fn other_store(&self) -> SqliteStore {
        open_store(self.folder.path(), &self.clock).await
    }

    pub(crate) fn registry(&self) -> Arc<dyn Registry> {
        self.store.registry()
    }

    pub(crate) fn app(&self) -> App {
        self.app_on(self.store.vaults())
    }

    pub(crate) fn app_on(&self, vaults: Arc<dyn Vaults>) -> App {
        let defaults =
            ServerDefaults { long_term_quota_bytes: (QUOTA_BYTES, Origin::Config), ..ServerDefaults::default() };
        let (clock, ids) = (self.clock.clone(), Arc::new(SystemIds::default()));
        App::new(vaults, clock, ids, Arc::new(defaults), Arc::new(NoObserver)).with_blobs(self.blobs())
    }

    fn blobs(&self) -> Arc<dyn Blobs> {
        Arc::new(BlobStore::local(self.folder.path(), Keys::off()))
    }

    /// Creates a relay to run by hand.
    pub(crate) fn relay_on(&self, vaults: Arc<dyn Vaults>) -> Relay {
        Relay::new(vaults, self.registry(), self.queue.clone(), self.store.outbox_signal())
    }

    /// Creates a purger without a running embedder.
    pub(crate) fn purger(&self) -> Purger {
        let nowhere = (self.folder.path().to_owned(), Embedder::new("http://127.0.0.1:1".to_owned(), None));
        Purger::new(self.store.purges(), self.clock.clone(), self.queue.clone(), self.blobs(), nowhere)
    }

    pub(crate) fn work(&self) -> Working {
        self.work_on(self.store.vaults())
    }

    /// Starts a worker on these vaults.
    pub(crate) fn work_on(&self, vaults: Arc<dyn Vaults>) -> Working {
        let worker = Worker {
            app: self.app_on(vaults),
            registry: self.registry(),
            audit: self.store.audit(),
            checkpoints: None,
            purger: self.purger(),
            queue: self.queue.clone(),
            outbox_signal: self.store.outbox_signal(),
            pace: Pace {
                concurrency: 2,
                schedule_interval: Duration::from_millis(200),
                sweep_interval: Duration::from_millis(200),
                keep_finished: Duration::from_hours(24),
            },
        };
        let shutdown = CancellationToken::new();
        Working { task: tokio::spawn(worker.run(shutdown.clone())), shutdown }
    }

    /// Stores `count` memories of 100 bytes, one by one.
    pub(crate) async fn remember(&self, user: &UserId, count: usize) {
        let app = self.app();
        for n in 0..count {
            let content = format!("{n:04} {}", "the tide comes in twice a day ".repeat(4)).chars().take(100).collect();
            let draft = MemoryDraft { content, ..MemoryDraft::default() };
            let input = CreateInput { drafts: vec![draft], always_new: true, ..CreateInput::default() };
            app.create_memories(user, input).await.unwrap();
        }
    }

    /// Stores memories until a quota is exceeded, which schedules a run.
    pub(crate) async fn remember_too_much(&self, user: &UserId) -> MeditationId {
        while self.runs(user).await.is_empty() {
            self.remember(user, 1).await;
        }
        self.runs(user).await[0].id
    }

    /// Requests a run.
    pub(crate) async fn meditate(&self, user: &UserId) -> MeditationId {
        self.app().meditate(user, MeditateInput::default()).await.unwrap().meditation.id
    }

    /// Returns all runs, newest first.
    pub(crate) async fn runs(&self, user: &UserId) -> Vec<Meditation> {
        let read = self.store.vaults().read(user, |reader| Box::pin(reader.meditations(None, 1_000))).await;
        read.unwrap()
    }

    pub(crate) async fn run(&self, user: &UserId, id: MeditationId) -> Meditation {
        self.runs(user).await.into_iter().find(|run| run.id == id).unwrap()
    }

    /// Waits until a run is over.
    pub(crate) async fn over(&self, user: &UserId, id: MeditationId) -> Meditation {
        let start = Instant::now();
        loop {
            let run = self.run(user, id).await;
            if matches!(run.status, MeditationStatus::Complete | MeditationStatus::Failed) {
                return run;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "still {run:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn active_bytes(&self, user: &UserId) -> u64 {
        let usage = self.store.vaults().read(user, |reader| Box::pin(reader.usage())).await.unwrap();
        usage.active_bytes(kimberly_core::memory::Tier::LongTerm)
    }

    pub(crate) async fn outbox(&self, user: &UserId) -> usize {
        self.store.vaults().read(user, |reader| Box::pin(reader.outbox(1_000))).await.unwrap().len()
    }

    pub(crate) async fn eventually(&self, what: &str, holds: impl Fn(&QueueStats) -> bool) {
        let start = Instant::now();
        loop {
            let stats = self.queue.stats().await.unwrap();
            if holds(&stats) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "{what}: {stats:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn open_store(folder: &Path, clock: &Arc<TestClock>) -> SqliteStore {
    let clock: Arc<dyn Clock> = clock.clone();
    SqliteStore::open(SqliteOptions::new(folder), clock).await.unwrap()
}

/// Waits until `happened` returns true.
pub(crate) async fn until(what: &str, happened: impl Fn() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A running worker.
pub(crate) struct Working {
    shutdown: CancellationToken,
    task: JoinHandle<MainResult>,
}

impl Working {
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.task.await.unwrap().unwrap();
    }
}
