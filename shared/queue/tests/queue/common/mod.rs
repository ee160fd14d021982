//! What the tests of the queue share: a queue in a temporary folder and handlers that record.
#![expect(unreachable_pub, reason = "the tests beside it use it")]
#![expect(clippy::unwrap_used, reason = "a fixture that cannot be made fails its test")]

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::FutureExt;
use kimberly_queue::{
    Attempt, Backoff, CancellationToken, HandlerError, JobEnvelope, JobHandler, Queue, QueueOptions, QueueStats,
    Stopped,
};
use sqlx::{ConnectOptions, SqliteConnection, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

/// Options with short pauses.
pub fn quick() -> QueueOptions {
    QueueOptions {
        retry: Backoff::new(Duration::from_secs(1), Duration::from_secs(2)),
        restart: Backoff::new(Duration::from_millis(50), Duration::from_millis(400)),
        stop_bound: Duration::from_secs(5),
        ..QueueOptions::default()
    }
}

pub struct Fixture {
    pub folder: TempDir,
    pub queue: Queue,
}

impl Fixture {
    pub async fn new() -> Self {
        Self::with(quick()).await
    }

    pub async fn with(options: QueueOptions) -> Self {
        let filter = tracing_subscriber::EnvFilter::from_default_env();
        let _ = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().try_init();
        let folder = tempfile::tempdir().unwrap();
        let queue = Queue::open_with(folder.path().join("queue.db"), options).await.unwrap();
        Self { folder, queue }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("queue.db")
    }

    /// A connection behind the queue's back.
    pub async fn raw(&self) -> SqliteConnection {
        SqliteConnectOptions::new().filename(self.path()).busy_timeout(Duration::from_secs(5)).connect().await.unwrap()
    }

    pub fn consume(&self, handler: Arc<dyn JobHandler>, concurrency: usize) -> Consumer {
        consume(&self.queue, handler, concurrency)
    }

    pub async fn eventually(&self, what: &str, within: Duration, holds: impl Fn(&QueueStats) -> bool) -> QueueStats {
        let start = Instant::now();
        loop {
            let stats = self.queue.stats().await.unwrap();
            if holds(&stats) {
                return stats;
            }
            assert!(start.elapsed() < within, "not within {within:?}: {what}; {stats:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

pub fn consume(queue: &Queue, handler: Arc<dyn JobHandler>, concurrency: usize) -> Consumer {
    let shutdown = CancellationToken::new();
    let task = tokio::spawn(queue.clone().run(handler, concurrency, shutdown.clone()));
    Consumer { shutdown, task }
}

pub struct Consumer {
    pub shutdown: CancellationToken,
    pub task: tokio::task::JoinHandle<Stopped>,
}

impl Consumer {
    pub async fn stop(self) -> Stopped {
        self.shutdown.cancel();
        self.task.await.unwrap()
    }
}

/// One run of a handler.
#[derive(Debug, Clone)]
pub struct Run {
    pub job_id: String,
    pub attempt: Attempt,
    pub at: Instant,
}

pub type Runs = Arc<Mutex<Vec<Run>>>;

/// Notes every run, then does what `result` says.
pub fn recorder(
    runs: &Runs,
    result: impl Fn(&JobEnvelope, Attempt) -> Result<(), HandlerError> + Send + Sync + 'static,
) -> Arc<dyn JobHandler> {
    let runs = Arc::clone(runs);
    Arc::new(move |job: JobEnvelope, attempt: Attempt| {
        let run = Run { job_id: job.job_id.clone(), attempt, at: Instant::now() };
        runs.lock().unwrap().push(run);
        let result = result(&job, attempt);
        async move { result }.boxed()
    })
}

/// Works for `time`, noting starts.
pub fn sleeper(runs: &Runs, time: Duration) -> Arc<dyn JobHandler> {
    let runs = Arc::clone(runs);
    Arc::new(move |job: JobEnvelope, attempt: Attempt| {
        let run = Run { job_id: job.job_id, attempt, at: Instant::now() };
        runs.lock().unwrap().push(run);
        async move {
            tokio::time::sleep(time).await;
            Ok(())
        }
        .boxed()
    })
}

pub fn job(n: usize) -> JobEnvelope {
    JobEnvelope::meditate("user-1", &format!("meditation-{n}"), &format!("job-{n}"))
}

/// Now in Unix milliseconds, by the clock of the children and of apalis.
#[expect(clippy::disallowed_methods, reason = "several processes note times that are compared")]
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}
